// What becomes of an outgoing message after it was stored: the network tells, the message's status and log keep it.
import type { Status } from '#domain/status.ts';
import type { Context } from './context.ts';
import { changeStatus } from './ledger/messages.ts';

/** Throws `missing`, and `bad-request` for a status that may not follow. */
export async function recordDelivery(
  { ledger, clock, log }: Pick<Context, 'ledger' | 'clock' | 'log'>,
  integrationId: string,
  status: Exclude<Status, 'queued' | 'received'>,
): Promise<void> {
  await ledger.write((rows) => changeStatus(rows, integrationId, status, clock.now()));
  log.info({ event: 'core.status', integrationId, status });
}
