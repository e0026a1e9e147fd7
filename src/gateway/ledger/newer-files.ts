// Which uploads have come anew: a file of the same name in the same place, from the same login, was taken since, by whichever node.
import { sql } from 'kysely';
import { inGroups } from '#domain/groups.ts';
import type { SubmitMode } from '#gateway/model/item.ts';
import type { Rows } from './schema.ts';

export interface BegunUpload {
  /** Ids of uploads and of items are in the order of time. */
  readonly id: string;
  readonly home: string;
  readonly login: string | null;
  readonly name: string;
  /** As what its file would be taken. */
  readonly mode: SubmitMode;
}

const NAMES_AT_ONCE = 200;

/** The ids of those that have. */
export async function readComeAnew(rows: Rows, uploads: readonly BegunUpload[]): Promise<ReadonlySet<string>> {
  const comeAnew = new Set<string>();
  for (const some of inGroups(uploads, NAMES_AT_ONCE)) {
    const [oldest = ''] = some.map(({ id }) => id).sort();
    const taken = await rows
      .selectFrom('items')
      .select(['item', 'home', 'login', 'file_name', 'mode'])
      .where(
        sql`lower(file_name)`,
        'in',
        some.map(({ name }) => sql`lower(${name})`),
      )
      .where('item', '>', oldest)
      .execute();
    const newest = new Map<string, string>();
    for (const { item, home, login, file_name: name, mode } of taken) {
      const key = keyOf({ home, login, name, mode });
      if (item > (newest.get(key) ?? '')) newest.set(key, item);
    }
    for (const upload of some) if ((newest.get(keyOf(upload)) ?? '') > upload.id) comeAnew.add(upload.id);
  }
  return comeAnew;
}

function keyOf({ home, login, name, mode }: Omit<BegunUpload, 'id'>): string {
  return JSON.stringify([home, login, name, mode]);
}
