// Rows about enrichment jobs: waiting with their content, or done with a result.
import type { Selectable } from 'kysely';
import type { Hold } from '#core/model/hold.ts';
import { isFreeFor } from './held.ts';
import type { Rows, Tables } from './schema.ts';

export type EnrichmentRow = Readonly<Selectable<Tables['enrichments']>>;

interface NewEnrichment {
  readonly pollingId: string;
  readonly accountRegNo: string;
  readonly types: readonly string[];
  readonly fileName: string | null;
  readonly content: Uint8Array;
}

export async function insertEnrichment(rows: Rows, job: NewEnrichment, nowMs: number): Promise<void> {
  await rows
    .insertInto('enrichments')
    .values({
      polling_id: job.pollingId,
      account_reg_no: job.accountRegNo,
      types: JSON.stringify(job.types),
      file_name: job.fileName,
      content: job.content,
      result: null,
      held_by: null,
      held_until: null,
      created_at: nowMs,
      polled_at: null,
    })
    .execute();
}

export async function findEnrichment(rows: Rows, pollingId: string): Promise<EnrichmentRow | undefined> {
  return rows.selectFrom('enrichments').selectAll().where('polling_id', '=', pollingId).executeTakeFirst();
}

/** The jobs of an account, in the order in which they were asked for. */
export async function enrichmentsOf(rows: Rows, accountRegNo: string): Promise<string[]> {
  const jobs = rows.selectFrom('enrichments').select('polling_id').where('account_reg_no', '=', accountRegNo);
  return (await jobs.orderBy('created_at').orderBy('polling_id').execute()).map(({ polling_id: pollingId }) => pollingId);
}

export async function countWaiting(rows: Rows, accountRegNo: string): Promise<number> {
  const waiting = rows.selectFrom('enrichments').where('result', 'is', null).where('account_reg_no', '=', accountRegNo);
  const { count } = await waiting.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Takes the account's oldest job that waits, for a core that has one at a time. Undefined where there is none, and where another core was faster. */
export async function takeEnrichment(rows: Rows, accountRegNo: string, hold: Hold): Promise<EnrichmentRow | undefined> {
  const isFree = isFreeFor(hold);
  const oldest = rows
    .selectFrom('enrichments')
    .select('polling_id')
    .where('result', 'is', null)
    .where('account_reg_no', '=', accountRegNo)
    .where(isFree)
    .orderBy('created_at')
    .orderBy('polling_id')
    .limit(1);
  return rows
    .updateTable('enrichments')
    .set({ held_by: hold.holder, held_until: hold.heldUntil })
    .where('polling_id', '=', oldest)
    .where(isFree)
    .returningAll()
    .executeTakeFirst();
}

/** The accounts whose jobs wait, those first that have waited longest. */
export async function accountsWaiting(rows: Rows): Promise<string[]> {
  const waiting = rows.selectFrom('enrichments').select('account_reg_no').where('result', 'is', null).groupBy('account_reg_no');
  const found = await waiting.orderBy((row) => row.fn.min('created_at')).execute();
  return found.map((row) => row.account_reg_no);
}

/** The content is needed no more. */
export async function finishEnrichment(rows: Rows, pollingId: string, result: string): Promise<void> {
  await rows.updateTable('enrichments').set({ result, content: null, held_by: null }).where('polling_id', '=', pollingId).execute();
}

export async function markPolled(rows: Rows, pollingId: string, nowMs: number): Promise<void> {
  await rows.updateTable('enrichments').set({ polled_at: nowMs }).where('polling_id', '=', pollingId).execute();
}

/** Forgets jobs that were made before `beforeMs`. */
export async function deleteEnrichments(rows: Rows, beforeMs: number): Promise<void> {
  await rows.deleteFrom('enrichments').where('created_at', '<', beforeMs).execute();
}
