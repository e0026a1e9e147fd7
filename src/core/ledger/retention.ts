// Messages whose time is over. Positions of a list have no gaps, so it is its old end that goes: what stays among the old ones moves up, in the same
// commit, next to those behind it.
import { pipelined } from '#engines/pipelined.ts';
import { inList, type MessageList } from './message-lists.ts';
import type { Rows } from './schema.ts';
import { identityDigest, insertTaken, originDigest } from './taken.ts';

/** The oldest of a list that are looked at: so many that must stay hold back those behind them. */
const WINDOW = 500;
/** Messages that are deleted at once. */
const AT_ONCE = 20;

/** For how long an account's messages are kept; null: as the settings say; 0: for ever. */
export async function selectKept(rows: Rows): Promise<{ accountRegNo: string; keepMessages: number | null }[]> {
  const found = await rows.selectFrom('accounts').select(['account_reg_no', 'keep_messages']).orderBy('account_reg_no').execute();
  return found.map((row) => ({ accountRegNo: row.account_reg_no, keepMessages: row.keep_messages }));
}

function oldestOf(rows: Rows, list: MessageList, limit: number) {
  return inList(rows, list).select(['sequence', 'position', 'created_at', 'updated_at', 'read_at']).orderBy('position').limit(limit);
}

/** Whether the list begins with a message of before that time. */
export async function beginsBefore(rows: Rows, list: MessageList, beforeMs: number): Promise<boolean> {
  const first = await oldestOf(rows, list, 1).executeTakeFirst();
  return first !== undefined && first.created_at < beforeMs;
}

/**
 * Deletes some messages of the list that were stored, changed and read before that time, with all that belongs to them, but for those that are unread or
 * whose transmission is owed. Their numbers stay taken. Returns how many; 0 when none is left to delete.
 */
export async function deleteOldest(rows: Rows, list: MessageList, beforeMs: number): Promise<number> {
  const window = await oldestOf(rows, list, WINDOW).execute();
  const old = window.filter(
    ({ created_at, updated_at, read_at }) =>
      Math.max(created_at, updated_at, read_at ?? 0) < beforeMs && (list.direction === 'outgoing' || read_at !== null),
  );
  const over = await withoutOwed(
    rows,
    old.slice(0, AT_ONCE).map(({ sequence }) => sequence),
  );
  if (over.length === 0) return 0;
  await forgetMessages(rows, over);
  const last = window.findLastIndex(({ sequence }) => over.includes(sequence));
  const staying = window.slice(0, last).filter(({ sequence }) => !over.includes(sequence));
  await moveUp(
    rows,
    staying.map(({ sequence }) => sequence),
    window[last]?.position ?? 0,
  );
  return over.length;
}

/** Deletes some responses that came before that time and belong to no message. Returns how many; 0 when none is left to delete. */
export async function deleteStrayResponses(rows: Rows, beforeMs: number): Promise<number> {
  const stray = rows.selectFrom('responses').select('response').where('sequence', 'is', null).where('received_at', '<', beforeMs);
  const over = (await stray.limit(AT_ONCE).execute()).map(({ response }) => response);
  if (over.length > 0) await rows.deleteFrom('responses').where('response', 'in', over).execute();
  return over.length;
}

/** Those of which no transmission is owed. */
async function withoutOwed(rows: Rows, sequences: readonly number[]): Promise<number[]> {
  if (sequences.length === 0) return [];
  const transmissions = rows.selectFrom('transmissions').select('sequence').where('next_attempt_at', 'is not', null);
  const owed = await transmissions.where('sequence', 'in', sequences).execute();
  return sequences.filter((sequence) => !owed.some((row) => row.sequence === sequence));
}

async function takenBy(rows: Rows, sequences: readonly number[]) {
  const found = await rows
    .selectFrom('messages')
    .innerJoin('message_contents as content', (join) =>
      join.onRef('content.sequence', '=', 'messages.sequence').onRef('content.version', '=', 'messages.version'),
    )
    .selectAll('messages')
    .select('content.sha256')
    .where('messages.sequence', 'in', sequences)
    .execute();
  return found.map((row) => ({
    document: identityDigest(row),
    integrationId: row.integration_id,
    version: row.version,
    sha256: row.sha256,
    origin: originDigest(row.origin),
  }));
}

/** Deletes messages with all that belongs to them; their numbers stay taken. Nothing may be left before them in their lists that stays. */
export async function forgetMessages(rows: Rows, sequences: readonly number[]): Promise<void> {
  await insertTaken(rows, await takenBy(rows, sequences));
  await pipelined(
    ...(['message_contents', 'message_log', 'transmissions', 'responses', 'messages'] as const).map((table) =>
      rows.deleteFrom(table).where('sequence', 'in', sequences).execute(),
    ),
  );
}

/** These, in their order, end at that position; the youngest first, so that no two have the same on the way. */
async function moveUp(rows: Rows, sequences: readonly number[], last: number): Promise<void> {
  for (const [at, sequence] of sequences.toReversed().entries()) {
    await rows
      .updateTable('messages')
      .set({ position: last - at })
      .where('sequence', '=', sequence)
      .execute();
  }
}
