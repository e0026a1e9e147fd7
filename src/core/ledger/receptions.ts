// Rows about what came from the network: envelopes that were taken, and responses to messages of ours.
import type { Selectable } from 'kysely';
import { type Finding, findingsIn } from '#domain/document.ts';
import type { MessageRow } from './messages.ts';
import type { Rows, Tables } from './schema.ts';

export async function isReceived(rows: Rows, instanceId: string): Promise<boolean> {
  const row = await rows.selectFrom('receptions').select('instance_id').where('instance_id', '=', instanceId).executeTakeFirst();
  return row !== undefined;
}

/** Records an envelope; false when it was taken before. */
export async function insertReception(rows: Rows, instanceId: string, sender: string, nowMs: number): Promise<boolean> {
  const row = await rows
    .insertInto('receptions')
    .values({ instance_id: instanceId, sender, received_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .returning('instance_id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface NewResponse extends Omit<KeptResponse, 'response' | 'receivedAt'> {
  readonly instanceId: string;
  readonly sequence: number | null;
  readonly document: Uint8Array;
}

/** Keeps an answer, and returns its number. */
export async function insertResponse(rows: Rows, response: NewResponse, nowMs: number): Promise<number> {
  const { instanceId, sequence, kind, code, reason, findings, document } = response;
  const row = await rows
    .insertInto('responses')
    .values({ instance_id: instanceId, sequence, kind, code, reason, findings: JSON.stringify(findings), received_at: nowMs, document })
    .returning('response')
    .executeTakeFirstOrThrow();
  return row.response;
}

/** Adds the document of a response whose code the access point has reported before; false when none waits for its document. */
export async function completeResponse(
  rows: Rows,
  { status_response: decisive }: Pick<MessageRow, 'status_response'>,
  { instanceId, kind, code, reason, findings, document }: NewResponse,
): Promise<boolean> {
  if (decisive === null) return false;
  const { numUpdatedRows } = await rows
    .updateTable('responses')
    .set({ instance_id: instanceId, reason, findings: JSON.stringify(findings), document })
    .where('response', '=', decisive)
    .where('instance_id', '=', '')
    .where('kind', '=', kind)
    .where('code', '=', code)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface KeptResponse {
  readonly response: number;
  readonly kind: string;
  readonly code: string;
  readonly reason: string | null;
  readonly findings: readonly Finding[];
  readonly receivedAt: number;
}

/** Answers to a message, the first one first. */
export async function selectResponses(rows: Rows, sequence: number): Promise<KeptResponse[]> {
  return (await keptResponses(rows).where('sequence', '=', sequence).orderBy('response').execute()).map(kept);
}

/** Those that have decided about these messages, by their numbers. */
export async function selectDecisive(rows: Rows, messages: readonly MessageRow[]): Promise<ReadonlyMap<number, KeptResponse>> {
  const wanted = messages.flatMap(({ status_response: response }) => response ?? []);
  if (wanted.length === 0) return new Map();
  const found = await keptResponses(rows).where('response', 'in', wanted).execute();
  return new Map(found.map((row) => [row.response, kept(row)]));
}

function keptResponses(rows: Rows) {
  return rows.selectFrom('responses').select(['response', 'kind', 'code', 'reason', 'findings', 'received_at']);
}

function kept({ received_at: receivedAt, findings, ...row }: Selectable<Pick<Tables['responses'], KeptColumn>>): KeptResponse {
  return { ...row, receivedAt, findings: findingsIn(JSON.parse(findings)) };
}

type KeptColumn = 'response' | 'kind' | 'code' | 'reason' | 'findings' | 'received_at';

/** The message whose current version went out in this envelope. */
export async function messageOfEnvelope(rows: Rows, instanceId: string): Promise<MessageRow | undefined> {
  return rows
    .selectFrom('messages')
    .innerJoin('transmissions', (join) =>
      join.onRef('transmissions.sequence', '=', 'messages.sequence').onRef('transmissions.version', '=', 'messages.version'),
    )
    .selectAll('messages')
    .where('transmissions.instance_id', '=', instanceId)
    .executeTakeFirst();
}

/** The outgoing message with this document id of one of these families, between these two. */
export async function messageOfDocument(
  rows: Rows,
  { families, documentId, sender, receiver }: { families: readonly string[]; documentId: string; sender: string; receiver: string },
): Promise<MessageRow | undefined> {
  return rows
    .selectFrom('messages')
    .innerJoin('participants', 'participants.account_reg_no', 'messages.account_reg_no')
    .selectAll('messages')
    .where('participants.participant', '=', sender)
    .where('direction', '=', 'outgoing')
    .where('family', 'in', [...families])
    .where('document_id', '=', documentId)
    .where('receiver', '=', receiver)
    .orderBy('messages.sequence', 'desc')
    .executeTakeFirst();
}
