// What becomes of an outgoing message after it was stored: the network tells, the message's status and log keep it, subscribers hear it.
import { isFamilyName } from '#domain/family.ts';
import type { Status } from '#domain/status.ts';
import type { Context } from './context.ts';
import { type Changed, changeStatus } from './ledger/messages.ts';
import { recordEvents, type Subject } from './webhooks/events.ts';

/** Throws `missing`, and `bad-request` for a status that may not follow. */
export async function recordDelivery(
  { ledger, clock, random, queue, log }: Pick<Context, 'ledger' | 'clock' | 'random' | 'queue' | 'log'>,
  integrationId: string,
  status: Exclude<Status, 'queued' | 'received'>,
): Promise<void> {
  const webhooks = await ledger.write(async (rows) => {
    const now = clock.now();
    const changed = await changeStatus(rows, integrationId, status, now);
    const subject = subjectOf(changed);
    return subject ? recordEvents(rows, random, subject, [{ event: 'status', status }], now, changed.before) : [];
  });
  log.info({ event: 'core.status', integrationId, status });
  for (const webhook of webhooks) queue.ring('webhook', webhook);
}

function subjectOf({ message, createdAt, updatedAt }: Changed): Subject | null {
  const { integration_id: integrationId, account_reg_no: accountRegNo, family, document_id: documentId } = message;
  const direction = message.direction === 'incoming' ? 'incoming' : 'outgoing';
  return isFamilyName(family) ? { integrationId, accountRegNo, direction, head: { family, documentId }, createdAt, updatedAt } : null;
}
