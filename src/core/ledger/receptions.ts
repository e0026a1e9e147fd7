// Rows about what came from the network: envelopes that were taken, and answers to messages of ours.
import type { MessageRow } from './messages.ts';
import type { Rows } from './schema.ts';

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

export interface NewResponse {
  readonly instanceId: string;
  readonly sequence: number | null;
  readonly kind: string;
  readonly code: string;
  readonly reason: string | null;
  readonly document: Uint8Array;
}

export async function insertResponse(rows: Rows, response: NewResponse, nowMs: number): Promise<void> {
  const { instanceId, sequence, kind, code, reason, document } = response;
  await rows
    .insertInto('responses')
    .values({ instance_id: instanceId, sequence, kind, code, reason, received_at: nowMs, document })
    .execute();
}

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
