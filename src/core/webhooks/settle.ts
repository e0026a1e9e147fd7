// What one try leaves behind in the ledger: the event delivered, planned again or given up, and how its receiver fares.
import type { Context } from '#core/context.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { buryWaiting, type Claimed, settleDelivered, settleFailed } from '#core/ledger/webhook-events.ts';
import { markWell, updateWebhook, type WebhookRow, webhookWithId } from '#core/ledger/webhooks.ts';
import type { Outcome } from './attempt.ts';
import { DISABLE_AFTER_MS, nextAttemptAt } from './schedule.ts';

type SettleParts = Pick<Context, 'ledger' | 'clock' | 'random' | 'log'>;

/** Rows of one write, so that many that are given up at once do not hold up the others. */
const BURIED_AT_ONCE = 500;
const DISABLED = 'The subscription is disabled.';

/** Stores the outcome, and says it in the log. What was interrupted stays leased: the next start takes it up. */
export async function settle(
  { ledger, clock, random, log }: SettleParts,
  webhook: WebhookRow,
  event: Claimed,
  outcome: Outcome,
): Promise<void> {
  const told = { webhook: webhook.id, eventId: event.event_id, type: event.type, attempt: event.attempts };
  if (outcome.kind === 'interrupted') return;
  if (outcome.kind === 'delivered') {
    await ledger.write(async (rows) => {
      await settleDelivered(rows, event);
      await markWell(rows, webhook);
    });
    log.info({ event: 'webhook.delivered', ...told, status: outcome.status });
    return;
  }
  const { reason } = outcome;
  const settled = await ledger.write(async (rows) => {
    const now = clock.now();
    const marked = await markReceiver(rows, webhook, outcome, now);
    const paused = outcome.kind === 'failed' ? outcome.pausedUntil : null;
    const again = marked.enabled ? nextAttemptAt(event.attempts, now, paused, random) : null;
    await settleFailed(rows, event, reason, again, now);
    return { again, ...marked };
  });
  if (settled.again !== null) log.warn({ event: 'webhook.failed', ...told, reason, nextAttemptAt: new Date(settled.again).toISOString() });
  else log.error({ event: 'webhook.dead', ...told, reason });
  if (settled.disabled !== null) log.error({ event: 'webhook.disabled', webhook: webhook.id, reason: settled.disabled });
}

/** Gives up what still waits for a subscription that is disabled. */
export async function buryEvents({ ledger, clock, log }: Pick<SettleParts, 'ledger' | 'clock' | 'log'>, webhookId: string): Promise<void> {
  for (let events = BURIED_AT_ONCE; events === BURIED_AT_ONCE; ) {
    events = await ledger.write((rows) => buryWaiting(rows, webhookId, DISABLED, BURIED_AT_ONCE, clock.now()));
    if (events > 0) log.error({ event: 'webhook.dead', webhook: webhookId, reason: DISABLED, events });
  }
}

interface Marked {
  readonly enabled: boolean;
  /** Why it was disabled just now. */
  readonly disabled: 'gone' | 'failing' | null;
}

/** The subscription may have been changed while the try ran: what an address that it no longer has did, does not count. */
async function markReceiver(rows: Rows, { id, url }: WebhookRow, outcome: Outcome, nowMs: number): Promise<Marked> {
  const current = await webhookWithId(rows, id);
  if (current?.enabled !== 1) return { enabled: false, disabled: null };
  if (current.url !== url) return { enabled: true, disabled: null };
  const since = current.failing_since ?? nowMs;
  const disabled = outcome.kind === 'gone' ? 'gone' : nowMs - since >= DISABLE_AFTER_MS ? 'failing' : null;
  const paused = outcome.kind === 'failed' ? outcome.pausedUntil : null;
  await updateWebhook(rows, id, {
    failing_since: since,
    ...(disabled !== null && { enabled: 0, disabled_reason: disabled }),
    ...(paused !== null && { paused_until: Math.max(paused, current.paused_until ?? 0) }),
  });
  return { enabled: disabled === null, disabled };
}
