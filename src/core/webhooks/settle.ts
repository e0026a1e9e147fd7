// Stores the outcome of a try: the event is delivered, planned again or given up, and the subscription's state changes with it.

import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { buryWaiting, type Due, selectDueAtMost, settleDelivered, settleFailed } from '#core/ledger/webhook-events.ts';
import { markWorking, updateWebhook, type WebhookRow, webhookWithId } from '#core/ledger/webhooks.ts';
import { isoTime } from '#domain/day.ts';
import type { Random } from '#domain/id.ts';
import { jittered, WEBHOOK_DISABLE_AFTER_MS, WEBHOOK_WAITS_MS, waitAfter } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Outcome } from './attempt.ts';

export interface SettleParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Rows of one write, so that many that fail or are given up at once do not hold up the others. */
const ROWS_AT_ONCE = 500;
const dueTogether = selectDueAtMost(ROWS_AT_ONCE);
const DISABLED = 'The subscription is disabled.';

/** Stores and logs the outcome of a try that began at `begunMs`. An interrupted try is made again after the next start. */
export async function settle(parts: SettleParts, webhook: WebhookRow, event: Due, outcome: Outcome, begunMs: number): Promise<void> {
  if (outcome.kind === 'delivered') return settleDelivery(parts, webhook, event, outcome.status);
  if (outcome.kind !== 'interrupted') await settleFailure(parts, webhook, event, outcome, begunMs);
}

async function settleDelivery({ ledger, log }: SettleParts, webhook: WebhookRow, event: Due, status: number): Promise<void> {
  await ledger.write([`account ${webhook.account_reg_no}`], async (rows) => {
    await settleDelivered(rows, event);
    await markWorking(rows, webhook);
  });
  log.info({ event: 'webhook.delivered', ...fieldsOf(webhook, event), status });
}

type Failure = Extract<Outcome, { kind: 'failed' | 'gone' }>;

/** When no connection can be made, the failure counts as a try of all events that are due. */
async function settleFailure(parts: SettleParts, webhook: WebhookRow, event: Due, outcome: Failure, begunMs: number): Promise<void> {
  const { ledger, clock, log } = parts;
  const { reason } = outcome;
  const { marked, planned } = await ledger.write([`account ${webhook.account_reg_no}`], async (rows) => {
    const now = clock.now();
    const marked = await markReceiver(rows, webhook, outcome, now);
    const paused = outcome.kind === 'failed' ? outcome.pausedUntil : null;
    const alike = outcome.kind === 'failed' && outcome.unreachable && marked.sameAddress;
    const planned: { readonly event: Due; readonly againMs: number | null }[] = [];
    for (const each of alike ? await dueTogether(rows, webhook.id, begunMs) : [event]) {
      const againMs = marked.enabled ? nextAttemptAt(parts, each.attempts + 1, paused) : null;
      if (await settleFailed(rows, each, reason, againMs, now)) planned.push({ event: each, againMs });
    }
    return { marked, planned };
  });
  for (const { event: each, againMs } of planned) {
    if (againMs === null) log.error({ event: 'webhook.dead', ...fieldsOf(webhook, each), reason });
    else log.warn({ event: 'webhook.failed', ...fieldsOf(webhook, each), reason, nextAttemptAt: isoTime(againMs) });
  }
  if (marked.disabled !== null) log.error({ event: 'webhook.disabled', webhook: webhook.id, reason: marked.disabled });
}

function fieldsOf({ id }: WebhookRow, { event_id: eventId, type, attempts }: Due) {
  return { webhook: id, eventId, type, attempt: attempts + 1 };
}

/** When to try again after so many tries; null when that was the last. `pausedUntil` is what the receiver asked for. */
function nextAttemptAt({ clock, random }: SettleParts, attempts: number, pausedUntil: number | null): number | null {
  if (attempts > WEBHOOK_WAITS_MS.length) return null;
  return Math.max(clock.now() + jittered(waitAfter(WEBHOOK_WAITS_MS, attempts), random), pausedUntil ?? 0);
}

/** Gives up the waiting events of a disabled subscription. */
export async function buryEvents({ ledger, clock, log }: SettleParts, webhookId: string): Promise<void> {
  for (let events = ROWS_AT_ONCE; events === ROWS_AT_ONCE; ) {
    events = await ledger.write([], (rows) => buryWaiting(rows, webhookId, DISABLED, ROWS_AT_ONCE, clock.now()));
    if (events > 0) log.error({ event: 'webhook.dead', webhook: webhookId, reason: DISABLED, events });
  }
}

interface Marked {
  readonly enabled: boolean;
  /** Its address is still the one of the try. */
  readonly sameAddress: boolean;
  /** Why this failure has disabled it. */
  readonly disabled: 'gone' | 'failing' | null;
}

/** Marks the subscription as failing, or disables it; not when its address was changed while the try ran. */
async function markReceiver(rows: Rows, { id, url }: WebhookRow, outcome: Failure, nowMs: number): Promise<Marked> {
  const current = await webhookWithId(rows, id);
  const sameAddress = current?.url === url;
  if (current?.enabled !== 1) return { enabled: false, sameAddress, disabled: null };
  if (!sameAddress) return { enabled: true, sameAddress, disabled: null };
  const since = current.failing_since ?? nowMs;
  const disabled = outcome.kind === 'gone' ? 'gone' : nowMs - since >= WEBHOOK_DISABLE_AFTER_MS ? 'failing' : null;
  const paused = outcome.kind === 'failed' ? outcome.pausedUntil : null;
  await updateWebhook(rows, id, {
    failing_since: since,
    ...(disabled !== null && { enabled: 0, disabled_reason: disabled }),
    ...(paused !== null && { paused_until: Math.max(paused, current.paused_until ?? 0) }),
  });
  return { enabled: disabled === null, sameAddress, disabled };
}
