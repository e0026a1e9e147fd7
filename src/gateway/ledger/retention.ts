// What has ended and is deleted when its time is over: items with their attempts, statuses and files of homes; files that were put into outboxes; and
// uploads that came to nothing. All are met in the order in which they came, a page at a time, by the tables' own keys.
import type { Selectable } from 'kysely';
import { firstIdAt } from '#domain/id.ts';
import { pipelined } from '#engines/pipelined.ts';
import type { Item, ItemState } from '#gateway/model/item.ts';
import type { KnownFailedUpload } from './failed-uploads.ts';
import type { Rows, Tables } from './schema.ts';
import { documentDigest } from './sent-before.ts';

const PAGE = 500;

/** What is held waits for a person. */
const OVER: readonly ItemState[] = ['accepted', 'refused', 'cancelled'];

export interface Page<Row> {
  readonly found: readonly Row[];
  /** Where the next one begins; null when there is none. */
  readonly next: string | null;
}

export interface EndedItem extends Pick<Item, 'item' | 'accountRegNo' | 'home' | 'spoolName'> {
  readonly endedAt: number;
}

/** Items that have ended, among those that came before `beforeMs`. */
export async function readEndedItems(rows: Rows, after: string, beforeMs: number): Promise<Page<EndedItem>> {
  const page = await rows
    .selectFrom('items')
    .select(['item', 'account_reg_no', 'home', 'spool_name', 'state', 'ended_at'])
    .where('item', '>', after)
    .where('item', '<', firstIdAt(beforeMs))
    .orderBy('item')
    .limit(PAGE)
    .execute();
  const found = page.flatMap(({ item, account_reg_no: accountRegNo, home, spool_name: spoolName, state, ended_at: endedAt }) =>
    OVER.includes(state) && endedAt !== null ? [{ item, accountRegNo, home, spoolName, endedAt }] : [],
  );
  return { found, next: nextOf(page, page.at(-1)?.item) };
}

function nextOf(page: readonly unknown[], last: string | undefined): string | null {
  return page.length < PAGE ? null : (last ?? null);
}

/**
 * Deletes items of one account and home, and returns how many. An item stays while it has not ended, while a file about it is still owed, while the
 * network may say more of it, and while another item waits for it or sends it again. Of what the service accepted digests are kept.
 */
export async function deleteEndedItems(
  rows: Rows,
  { accountRegNo, home }: Pick<EndedItem, 'accountRegNo' | 'home'>,
  items: readonly string[],
): Promise<number> {
  // In a home of several accounts the first files may stand under the home's own name.
  const owners = [accountRegNo, home];
  const over = await itemsOver(rows, items)
    .where('items.state', 'in', OVER)
    .where((e) => e.or([e('deliveries.open', 'is', null), e('deliveries.open', '=', 0)]))
    .where((e) => {
      const owed = e.selectFrom('publications').select('publication').where('publications.account_reg_no', 'in', owners);
      return e.not(e.exists(owed.whereRef('subject', '=', 'items.item').where('written_at', 'is', null)));
    })
    .where((e) => {
      const others = e.selectFrom('items as other').select('other.item');
      const waits = others.whereRef('other.waits_for', '=', 'items.item').where('other.state', '=', 'pending');
      const again = others.whereRef('other.resends', '=', 'items.item').where('other.state', 'in', ['pending', 'held']);
      return e.not(e.or([e.exists(waits), e.exists(again)]));
    })
    .execute();
  await forgetItems(rows, owners, over);
  return over.length;
}

/** These items, each with what the network said of it. */
export function itemsOver(rows: Rows, items: readonly string[]) {
  const all = rows
    .selectFrom('items')
    .leftJoin('deliveries', 'deliveries.item', 'items.item')
    .selectAll('items')
    .select('deliveries.status');
  return all.where('items.item', 'in', items);
}

type OverItem = Selectable<Tables['items']> & { readonly status: string | null };

/** Deletes items with all that stands about them. What the service accepted is remembered by digests. */
export async function forgetItems(rows: Rows, owners: readonly string[], over: readonly OverItem[]): Promise<void> {
  if (over.length === 0) return;
  const ids = over.map(({ item }) => item);
  const files = rows.selectFrom('publications').select('publication').where('account_reg_no', 'in', owners).where('subject', 'in', ids);
  await pipelined(
    rememberSent(rows, over),
    rows.deleteFrom('attempts').where('item', 'in', ids).execute(),
    rows.deleteFrom('deliveries').where('item', 'in', ids).execute(),
    rows.deleteFrom('fetches').where('publication', 'in', files).execute(),
    rows.deleteFrom('publications').where('account_reg_no', 'in', owners).where('subject', 'in', ids).execute(),
    rows.deleteFrom('items').where('item', 'in', ids).execute(),
  );
}

async function rememberSent(rows: Rows, over: readonly OverItem[]): Promise<void> {
  const accepted = over.flatMap(({ account_reg_no, item, sha256, family, document_id: documentId, receiver, integration_id, ...row }) =>
    row.state === 'accepted' && row.duplicate_of === null && family !== null && documentId !== null && receiver !== null
      ? [
          {
            document: documentDigest(account_reg_no, { family, documentId, receiver }),
            item,
            sha256,
            integration_id,
            status: row.status ?? '',
          },
        ]
      : [],
  );
  if (accepted.length > 0) await rows.insertInto('sent_before').values(accepted).execute();
}

export interface WrittenFile {
  readonly publication: number;
  readonly accountRegNo: string;
  readonly home: string;
  readonly name: string;
  readonly writtenAt: number;
}

/** Files that were put into outboxes, among those that came before `beforeMs`. */
export async function readWrittenFiles(rows: Rows, after: string, beforeMs: number): Promise<Page<WrittenFile>> {
  const page = await rows
    .selectFrom('publications')
    .select(['publication', 'account_reg_no', 'home', 'folder', 'name', 'written_at'])
    .where('publication', '>', Number(after))
    .orderBy('publication')
    .limit(PAGE)
    .execute();
  const found = page.flatMap(({ publication, account_reg_no: accountRegNo, home, folder, name, written_at: writtenAt }) =>
    folder === 'outbox' && writtenAt !== null ? [{ publication, accountRegNo, home, name, writtenAt }] : [],
  );
  const isAhead = page.some(({ written_at: writtenAt }) => writtenAt !== null && writtenAt >= beforeMs);
  return { found, next: isAhead ? null : nextOf(page, String(page.at(-1)?.publication)) };
}

/** Forgets these, but for those that are owed again. That their documents were received stays known. */
export async function deleteWrittenFiles(rows: Rows, publications: readonly number[]): Promise<number> {
  const over = rows
    .selectFrom('publications')
    .select('publication')
    .where('publication', 'in', publications)
    .where('written_at', 'is not', null);
  const found = (await over.execute()).map(({ publication }) => publication);
  await forgetFiles(rows, found);
  return found.length;
}

/** Forgets files of homes, and who fetched them. */
export async function forgetFiles(rows: Rows, publications: readonly number[]): Promise<void> {
  if (publications.length === 0) return;
  await pipelined(
    rows.deleteFrom('fetches').where('publication', 'in', publications).execute(),
    rows.deleteFrom('publications').where('publication', 'in', publications).execute(),
  );
}

export type FailedUploadRow = Pick<KnownFailedUpload, 'upload' | 'home' | 'atMs'>;

/** Uploads that came to nothing: all, for the first of them may have been tried again last. */
export async function readFailedUploadPage(rows: Rows, after: string): Promise<Page<FailedUploadRow>> {
  const found = await rows
    .selectFrom('failed_uploads')
    .select(['upload', 'home', 'at as atMs'])
    .where('upload', '>', Number(after))
    .orderBy('upload')
    .limit(PAGE)
    .execute();
  return { found, next: nextOf(found, String(found.at(-1)?.upload)) };
}

/** Forgets these, but for those that have been tried again since `beforeMs`. */
export async function deleteFailedUploads(rows: Rows, uploads: readonly number[], beforeMs: number): Promise<number> {
  const { numDeletedRows } = await rows
    .deleteFrom('failed_uploads')
    .where('upload', 'in', uploads)
    .where('at', '<', beforeMs)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
