// The network's word on a message, as if it had just come.
import type { TransmitParts } from '#core/network/attempt.ts';
import { announceStatus, recordStatuses } from '#core/transactions/delivery.ts';
import type { ReportedStatus } from '#domain/status.ts';

/** Throws `missing`, and `bad-request` for a status that may not follow. */
export async function recordDelivery(parts: TransmitParts, integrationId: string, status: ReportedStatus): Promise<void> {
  const recorded = await parts.ledger.write([], (rows) => recordStatuses(rows, parts.random, integrationId, [status], parts.clock.now()));
  announceStatus(parts, recorded);
}
