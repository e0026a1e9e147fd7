// The network's word on a message, as if it had just come.
import type { Context } from '#core/model/context.ts';
import { announceStatus, recordStatuses, type Told } from '#core/transactions/delivery.ts';

/** Throws `missing`, and `bad-request` for a status that may not follow. */
export async function recordDelivery(
  parts: Pick<Context, 'ledger' | 'clock' | 'random' | 'queue' | 'log' | 'changed'>,
  integrationId: string,
  status: Told,
): Promise<void> {
  const recorded = await parts.ledger.write((rows) => recordStatuses(rows, parts, integrationId, [status], parts.clock.now()));
  announceStatus(parts, recorded);
}
