// Rows about enrichment jobs: waiting with their content, or done with a result.
import type { Selectable } from 'kysely';
import type { Rows, Tables } from './schema.ts';

export type EnrichmentRow = Readonly<Selectable<Tables['enrichments']>>;

export interface NewEnrichment {
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
      created_at: nowMs,
      polled_at: null,
    })
    .execute();
}

export async function findEnrichment(rows: Rows, pollingId: string): Promise<EnrichmentRow | undefined> {
  return rows.selectFrom('enrichments').selectAll().where('polling_id', '=', pollingId).executeTakeFirst();
}

export async function countWaiting(rows: Rows, accountRegNo: string): Promise<number> {
  const waiting = rows.selectFrom('enrichments').where('result', 'is', null).where('account_reg_no', '=', accountRegNo);
  const { count } = await waiting.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

export async function selectWaitingEnrichments(rows: Rows): Promise<string[]> {
  const found = await rows.selectFrom('enrichments').select('polling_id').where('result', 'is', null).orderBy('created_at').execute();
  return found.map((row) => row.polling_id);
}

/** The content is needed no more. */
export async function finishEnrichment(rows: Rows, pollingId: string, result: string): Promise<void> {
  await rows.updateTable('enrichments').set({ result, content: null }).where('polling_id', '=', pollingId).execute();
}

export async function markPolled(rows: Rows, pollingId: string, nowMs: number): Promise<void> {
  await rows.updateTable('enrichments').set({ polled_at: nowMs }).where('polling_id', '=', pollingId).execute();
}

/** Forgets jobs that were made before `beforeMs`. */
export async function deleteEnrichments(rows: Rows, beforeMs: number): Promise<void> {
  await rows.deleteFrom('enrichments').where('created_at', '<', beforeMs).execute();
}
