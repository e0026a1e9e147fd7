// Which uploads have come anew: a file of the same name, from the same login, was taken since for the same home, by whichever node.
import { sql } from 'kysely';
import { inGroups } from '#domain/groups.ts';
import type { SubmitMode } from '#gateway/model/item.ts';
import type { Rows } from './schema.ts';

export interface BegunUpload {
  /** Ids of uploads and of items are in the order of time. */
  readonly id: string;
  readonly home: string;
  readonly login: string | null;
  /** Of the file when it is taken. */
  readonly name: string;
  /** As what it is taken; null where that is not known. */
  readonly mode: SubmitMode | null;
}

const TOGETHER = 200;

/** The ids of those that have; `from`: only by items with this id or a later one. */
export async function readComeAnew(rows: Rows, uploads: readonly BegunUpload[], from = ''): Promise<string[]> {
  const comeAnew: string[] = [];
  for (const some of inGroups(uploads, TOGETHER)) {
    const [oldest = ''] = some.map(({ id }) => id).sort();
    const taken = await rows
      .selectFrom('items')
      .select(['home', 'login', 'file_name', 'mode', (e) => e.fn.max('item').as('newest')])
      .where(
        sql`lower(file_name)`,
        'in',
        [...new Set(some.map(({ name }) => name))].map((name) => sql`lower(${name})`),
      )
      .where('home', 'in', [...new Set(some.map(({ home }) => home))])
      .where('item', '>=', from > oldest ? from : oldest)
      .groupBy(['home', 'login', 'file_name', 'mode'])
      .execute();
    const hasCome = ({ id, home, login, name, mode }: BegunUpload): boolean =>
      taken.some(
        (each) =>
          each.newest > id && each.home === home && each.login === login && each.file_name === name && (mode ?? each.mode) === each.mode,
      );
    comeAnew.push(...some.filter(hasCome).map(({ id }) => id));
  }
  return comeAnew;
}
