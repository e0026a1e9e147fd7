// What alarms ask the ledger: each answer is bounded, or grouped by account, and reads only what is open or new.
import { firstIdAt } from '#domain/id.ts';
import type { Rows } from './schema.ts';

interface HeldItems {
  readonly accountRegNo: string;
  readonly items: number;
  readonly oldestAt: number;
}

/** How many documents of each account are held. */
export async function readHeld(rows: Rows): Promise<HeldItems[]> {
  const found = await rows
    .selectFrom('items')
    .select((row) => [
      'account_reg_no as accountRegNo',
      row.fn.countAll<number>().as('items'),
      row.fn.min<number>('received_at').as('oldestAt'),
    ])
    .where('state', '=', 'held')
    .groupBy('account_reg_no')
    .orderBy('account_reg_no')
    .execute();
  return found.map((row) => ({ ...row, items: Number(row.items), oldestAt: Number(row.oldestAt) }));
}

export interface Refusal {
  readonly publication: number;
  readonly item: string;
  readonly accountRegNo: string;
  readonly fileName: string;
  readonly reason: string | null;
}

/** Items whose receipts say that they are refused, of those published after this one, the oldest first. */
export async function readRefusals(rows: Rows, after: number, limit: number): Promise<Refusal[]> {
  return rows
    .selectFrom('publications')
    .innerJoin('items', 'items.item', 'publications.subject')
    .select([
      'publications.publication',
      'items.item',
      'items.account_reg_no as accountRegNo',
      'items.file_name as fileName',
      'items.reason',
    ])
    .where('publications.publication', '>', after)
    .where('publications.folder', '=', 'receipts')
    .where('publications.stage', '=', 'refused')
    .orderBy('publications.publication')
    .limit(limit)
    .execute();
}

/** The last one so far; 0 when there is none. */
export async function readLastPublication(rows: Rows): Promise<number> {
  const last = await rows
    .selectFrom('publications')
    .select((row) => row.fn.max<number | null>('publication').as('publication'))
    .executeTakeFirst();
  return Number(last?.publication ?? 0);
}

interface Arrival {
  readonly accountRegNo: string;
  /** Of its first document in the time that was asked for. */
  readonly at: number;
}

/** Which accounts have sent something from one moment until before another. */
export async function readArrivals(rows: Rows, fromMs: number, untilMs: number): Promise<Arrival[]> {
  const found = await rows
    .selectFrom('items')
    .select((row) => ['account_reg_no as accountRegNo', row.fn.min<number>('received_at').as('at')])
    .where('item', '>=', firstIdAt(fromMs))
    .where('item', '<', firstIdAt(untilMs))
    .groupBy('account_reg_no')
    .execute();
  return found.map((row) => ({ ...row, at: Number(row.at) }));
}

interface ServiceSilence {
  readonly accountRegNo: string;
  readonly family: string;
  /** In sum, of all silences so far. */
  readonly lastsMs: number;
}

/** Accounts and families for which something was tried in vain since then. */
export async function readSilences(rows: Rows, sinceMs: number): Promise<ServiceSilence[]> {
  return rows
    .selectFrom('silences')
    .select(['account_reg_no as accountRegNo', 'family', 'lasts_ms as lastsMs'])
    .where('at', '>=', sinceMs)
    .orderBy('account_reg_no')
    .execute();
}
