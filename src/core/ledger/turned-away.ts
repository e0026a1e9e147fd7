// Rows about documents that were turned away before the access point accepted them, with their findings.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Rows } from './schema.ts';

interface NewTurnedAway {
  readonly instanceId: string;
  readonly accountRegNo: string;
  /** Participants. */
  readonly sender: string;
  readonly receiver: string;
  readonly family: string;
  readonly documentId: string;
  /** JSON. */
  readonly findings: string;
  readonly document: Uint8Array;
}

export interface TurnedAway extends Omit<NewTurnedAway, 'document'> {
  readonly sequence: number;
  readonly turnedAwayAt: number;
  /** Of the document, hex. */
  readonly sha256: string;
  readonly size: number;
}

/** Keeps a document that was turned away; false when it is kept already. */
export async function insertTurnedAway(rows: Rows, one: NewTurnedAway, nowMs: number): Promise<boolean> {
  const row = await rows
    .insertInto('turned_away')
    .values({
      instance_id: one.instanceId,
      account_reg_no: one.accountRegNo,
      sender: one.sender,
      receiver: one.receiver,
      family: one.family,
      document_id: one.documentId,
      turned_away_at: nowMs,
      findings: one.findings,
      sha256: hash('sha256', one.document),
      size: one.document.length,
      document: one.document,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('instance_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps the latest rows of an account, up to a count, and their documents up to a total size. */
export async function boundTurnedAway(rows: Rows, accountRegNo: string, most: { count: number; bytes: number }): Promise<void> {
  const rest = sql<number>`(select sequence from turned_away where account_reg_no = ${accountRegNo} order by sequence desc limit 1 offset ${most.count})`;
  await rows.deleteFrom('turned_away').where('account_reg_no', '=', accountRegNo).where('sequence', '<=', rest).execute();
  const tooMuch = sql<number>`(
    select max(sequence) from (
      select sequence, sum(size) over (order by sequence desc) as upward
      from turned_away where account_reg_no = ${accountRegNo} and document is not null
    ) as latest where upward > ${most.bytes})`;
  await rows
    .updateTable('turned_away')
    .set({ document: null })
    .where('account_reg_no', '=', accountRegNo)
    .where('document', 'is not', null)
    .where('sequence', '<=', tooMuch)
    .execute();
}

/** Forgets rows older than `beforeMs`. */
export async function deleteTurnedAway(rows: Rows, beforeMs: number): Promise<void> {
  await rows.deleteFrom('turned_away').where('turned_away_at', '<', beforeMs).execute();
}

const COLUMNS = [
  'sequence',
  'sha256',
  'instance_id as instanceId',
  'account_reg_no as accountRegNo',
  'sender',
  'receiver',
  'family',
  'document_id as documentId',
  'turned_away_at as turnedAwayAt',
  'findings',
  'size',
] as const;

/** The latest first; of one account, or of all. `before`: a sequence number, only those before it. */
export async function selectTurnedAway(rows: Rows, accountRegNo: string | null, limit: number, before?: number): Promise<TurnedAway[]> {
  let all = rows.selectFrom('turned_away').select(COLUMNS).orderBy('sequence', 'desc').limit(limit);
  if (before !== undefined) all = all.where('sequence', '<', before);
  return (accountRegNo === null ? all : all.where('account_reg_no', '=', accountRegNo)).execute();
}

/** Those after a sequence number, the oldest first. */
export async function selectTurnedAwayAfter(rows: Rows, accountRegNo: string, after: number, limit: number): Promise<TurnedAway[]> {
  return rows
    .selectFrom('turned_away')
    .select(COLUMNS)
    .where('account_reg_no', '=', accountRegNo)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

/** With the document, where that is still kept. */
export async function findTurnedAway(
  rows: Rows,
  instanceId: string,
): Promise<(TurnedAway & { readonly document: Uint8Array | null }) | undefined> {
  return rows
    .selectFrom('turned_away')
    .select([...COLUMNS, 'document'])
    .where('instance_id', '=', instanceId)
    .executeTakeFirst();
}
