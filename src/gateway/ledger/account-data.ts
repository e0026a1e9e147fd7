// Everything that the gateway's ledger has of one account: to be handed to it, or to be erased.
import type { Selectable } from 'kysely';
import type { Publication } from './publications.ts';
import { forgetReconciled } from './reconciliation.ts';
import { forgetFiles, forgetItems, itemsOver } from './retention.ts';
import type { Rows, Tables } from './schema.ts';

const AT_ONCE = 50;

/** What the outboxes got for it. */
export type ReceivedFile = Pick<Selectable<Tables['publications']>, 'publication' | 'home' | 'folder' | 'name' | 'subject' | 'written_at'>;

/** Files that homes got, or are owed, for documents and receipts of it: some of those behind this one. */
export function readFilesOf(rows: Rows, accountRegNo: string, after: number): Promise<ReceivedFile[]> {
  return rows
    .selectFrom('publications')
    .select(['publication', 'home', 'folder', 'name', 'subject', 'written_at'])
    .where('account_reg_no', '=', accountRegNo)
    .where('publication', '>', after)
    .orderBy('publication')
    .limit(AT_ONCE)
    .execute();
}

/** Staged files that are owed for it. Originals are not among them: until they are in a home they lie in the spool. */
export function readArriving(rows: Rows, accountRegNo: string): Promise<Pick<Publication, 'folder' | 'name' | 'staged'>[]> {
  return rows
    .selectFrom('publications')
    .select(['folder', 'name', 'staged'])
    .where('written_at', 'is', null)
    .where('staged', 'not like', 'spool/%')
    .where((e) => {
      // In a home of several accounts the first ones of an item may stand under the home's own name.
      const items = e.selectFrom('items').select('item').where('items.account_reg_no', '=', accountRegNo);
      return e.or([e('account_reg_no', '=', accountRegNo), e('subject', 'in', items)]);
    })
    .orderBy('publication')
    .execute();
}

/** Deletes these items, whatever became of them; what the service accepted is remembered by digests. */
export async function eraseItems(rows: Rows, accountRegNo: string, home: string, items: readonly string[]): Promise<void> {
  await forgetItems(rows, [accountRegNo, home], await itemsOver(rows, items).execute());
}

export const eraseFiles = forgetFiles;

/** Deletes some of the documents that were received for it; returns how many. */
export async function eraseDocuments(rows: Rows, accountRegNo: string): Promise<number> {
  const found = await rows.selectFrom('documents').select('sequence').where('account_reg_no', '=', accountRegNo).limit(AT_ONCE).execute();
  const sequences = found.map(({ sequence }) => sequence);
  if (sequences.length > 0) await rows.deleteFrom('documents').where('sequence', 'in', sequences).execute();
  return sequences.length;
}

/** Tables that name the account in each row. */
export const OF_ACCOUNT = [
  'sweeps',
  'stuck',
  'redeliveries',
  'turned_away_told',
  'pauses',
  'silences',
  'hints',
  'participants',
  'deliveries',
  'order_answers',
  'reconciliation_open',
] as const;

/** And those that name the home. */
export const OF_HOME = ['failed_uploads', 'last_pickups', 'rings'] as const;

/** Deletes the rest; of its home only where that is its own. */
export async function eraseRest(rows: Rows, accountRegNo: string, isOwnHome: boolean): Promise<void> {
  for (const table of OF_ACCOUNT) await rows.deleteFrom(table).where('account_reg_no', '=', accountRegNo).execute();
  await forgetParties(rows);
  await forgetReconciled(rows, `account ${accountRegNo}`);
  if (!isOwnHome) return;
  for (const table of OF_HOME) await rows.deleteFrom(table).where('home', '=', accountRegNo).execute();
}

/** Names of participants that no document, and no account here, has any more. */
async function forgetParties(rows: Rows): Promise<void> {
  await rows
    .deleteFrom('parties')
    .where((e) =>
      e.not(
        e.or([
          e.exists(e.selectFrom('items').select('item').whereRef('items.sender', '=', 'parties.participant')),
          e.exists(e.selectFrom('items').select('item').whereRef('items.receiver', '=', 'parties.participant')),
          e.exists(e.selectFrom('documents').select('sequence').whereRef('documents.sender', '=', 'parties.participant')),
          e.exists(e.selectFrom('participants').select('account_reg_no').whereRef('participants.participant', '=', 'parties.participant')),
        ]),
      ),
    )
    .execute();
}
