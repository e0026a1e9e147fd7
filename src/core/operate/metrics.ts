// The core's metrics, which are read from its ledger when somebody asks.
import { takeCensus } from '#core/ledger/census.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { WEBHOOK_WAITS_MS } from '#domain/retry.ts';
import { readConnections } from '#engines/connections.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Metrics } from '#runtime/metrics.ts';

const ROWS = {
  dropgate_webhook_events_waiting: { help: 'Events that wait for their next try, by the number of tries that failed.', label: 'tries' },
  dropgate_webhook_events_dead: 'Events that were given up, and may be sent again by an operator.',
  dropgate_webhooks_disabled: 'Subscriptions that were disabled because their receivers did not take what was sent.',
  dropgate_transmissions_waiting: 'Documents on their way into the network.',
  dropgate_transmission_oldest_seconds: 'Age of the oldest of these.',
  dropgate_participants_unseen: 'Participants of accounts that could not be looked up the last time.',
  dropgate_participant_differences: 'What differs from how participants should be registered.',
} as const;

export function readByMetrics(metrics: Metrics, { ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): void {
  readConnections(metrics, 'core', ledger);
  metrics.read(ROWS, async () => {
    const { waitingEvents, deadEvents, disabledWebhooks, transmissions, oldestTransmission, unseen, differences } =
      await takeCensus(ledger);
    const age = oldestTransmission === null ? 0 : Math.max(clock.now() - oldestTransmission, 0) / 1_000;
    const ladder = Array.from(
      { length: WEBHOOK_WAITS_MS.length + 1 },
      (_, tries) => [String(tries), waitingEvents.get(tries) ?? 0] as const,
    );
    return {
      dropgate_webhook_events_waiting: new Map(ladder),
      dropgate_webhook_events_dead: deadEvents,
      dropgate_webhooks_disabled: disabledWebhooks,
      dropgate_transmissions_waiting: transmissions,
      dropgate_transmission_oldest_seconds: age,
      dropgate_participants_unseen: unseen,
      dropgate_participant_differences: differences,
    };
  });
}
