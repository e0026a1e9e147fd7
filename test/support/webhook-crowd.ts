// A crowd of receivers of which half are down, slow, gone or ask for peace, with eight events each: each event is delivered at least once
// or kept as a dead letter, on its schedule, under one id.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { recordEvents } from '#core/events/events.ts';
import { insertAccount } from '#core/ledger/accounts.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { EVENT_TYPES } from '#domain/event.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { calm } from './calm.ts';
import { type Hit, type Reply, startReceiver } from './receiver.ts';
import { until } from './until.ts';
import { nextAt, startWebhookCore, type WebhookCore } from './webhooks.ts';
import { owedEvents } from './world/ledger-rows.ts';

const EVENTS_EACH = 8;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LADDER = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const TIMEOUT = 10 * SECOND;
const RETRY_AFTER = 10 * MINUTE;
/** The slow ones answer too late so often, then in time; those that ask for peace do so as often. */
const TROUBLED_TRIES = 3;

const KINDS = ['well', 'down', 'well', 'slow', 'well', 'gone', 'well', 'busy'] as const;
type Kind = (typeof KINDS)[number];

interface Failure {
  readonly attempt: number;
  readonly reason: string;
  /** When the try had failed, and when the next was planned. */
  readonly atMs: number;
  readonly nextMs: number | null;
}

/** Fails when an event is not accounted for. */
export async function expectAllAccountedFor(receivers: number): Promise<void> {
  const failures = new Map<string, Failure[]>();
  const heard = new Map<string, { path: string; atMs: number }[]>();
  const stalled: Stalled[] = [];
  /** Events that have come, of which the core has not said yet what became of the try. */
  const underWay = new Set<string>();
  const log = openLog('info', {
    write(line) {
      const { event, eventId, attempt, nextAttemptAt, reason } = JSON.parse(line);
      if (eventId) underWay.delete(eventId);
      if (event !== 'webhook.failed' && !(event === 'webhook.dead' && eventId)) return;
      const nextMs = nextAttemptAt ? Date.parse(nextAttemptAt) : null;
      failures.set(eventId, [...(failures.get(eventId) ?? []), { attempt, reason, atMs: core.clock.now(), nextMs }]);
    },
  });
  const core = await startWebhookCore({ log });
  onTestFinished(() => core[Symbol.asyncDispose]());
  const receiver = await startReceiver((hit) => answer(hit));
  onTestFinished(() => receiver[Symbol.asyncDispose]());

  function answer({ path, headers }: Hit): Reply | Promise<Reply> {
    const id = String(headers['webhook-id']);
    const earlier = heard.get(id) ?? [];
    heard.set(id, [...earlier, { path, atMs: core.clock.now() }]);
    underWay.add(id);
    const kind = path.split('/')[1];
    if (kind === 'gone') return { status: 410 };
    if (kind === 'busy' && earlier.length < TROUBLED_TRIES)
      return { status: 429, headers: { 'retry-after': String(RETRY_AFTER / SECOND) } };
    if (kind !== 'slow' || earlier.length >= TROUBLED_TRIES) return { status: 204 };
    stalled.push({ webhook: `webhook-${path.split('/')[2]}`, atMs: core.clock.now() });
    return new Promise((resolve) => core.clock.after(TIMEOUT + SECOND, () => resolve({ status: 204 })));
  }

  const kinds = await seed(core, receiver.url, receivers);
  const startedAt = core.clock.now();
  core.clock.advance(10 * SECOND);
  for (;;) {
    await quiet(core, () => ({ stalling: running(stalled, core.clock.now()), underWay: underWay.size }));
    // What the ledger shows may not have been told yet.
    await calm();
    const hanging = running(stalled, core.clock.now()).map(({ atMs }) => atMs);
    const nextMs = hanging.length > 0 ? Math.min(...hanging) + TIMEOUT : await nextAt(core.ledger);
    if (nextMs === null) break;
    // Coarse steps: a twentieth of the time that has passed.
    core.clock.advance(Math.max(nextMs - core.clock.now(), Math.ceil((core.clock.now() - startedAt) / 20)));
  }

  const left = await core.owed();
  const dead = new Map(left.map(({ eventId, attempts }) => [eventId, attempts]));
  expect(left.every(({ deadAt }) => deadAt !== null)).toBe(true);
  const outcomes: Record<string, number> = {};
  for (const [id, kind] of kinds) {
    const tries = heard.get(id) ?? [];
    const outcome = dead.has(id) ? 'dead' : 'delivered';
    outcomes[`${kind} ${outcome}`] = (outcomes[`${kind} ${outcome}`] ?? 0) + 1;
    // At least: on a machine with much else to do even a good connection may break.
    const least = { well: 1, slow: TROUBLED_TRIES + 1, busy: TROUBLED_TRIES + 1, down: 0, gone: 0 }[kind];
    expect(tries.length, id).toBeGreaterThanOrEqual(least);
    if (least > 0) expect(outcome, id).toBe('delivered');
    if (kind === 'down') expect([outcome, dead.get(id)], id).toEqual(['dead', LADDER.length + 1]);
    if (kind === 'gone') expect(outcome, id).toBe('dead');
    // The same receiver hears the same event under the same id, whatever came in between.
    expect(new Set(tries.map(({ path }) => path)).size, id).toBeLessThanOrEqual(1);
    expectSchedule(failures.get(id) ?? [], tries);
  }
  const all = (receivers / KINDS.length) * EVENTS_EACH;
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(receivers * EVENTS_EACH);
  expect(outcomes['well delivered']).toBeGreaterThanOrEqual(all * 4 - EVENTS_EACH * 4);
}

/** A try that a slow receiver has not answered. */
interface Stalled {
  readonly webhook: string;
  readonly atMs: number;
}

function running(stalled: readonly Stalled[], nowMs: number): Stalled[] {
  return stalled.filter(({ atMs }) => atMs > nowMs - TIMEOUT);
}

function expectSchedule(failures: readonly Failure[], tries: readonly { atMs: number }[]): void {
  for (const [index, { attempt, reason, atMs, nextMs }] of failures.entries()) {
    expect(attempt).toBe(index + 1);
    if (nextMs === null) continue;
    const wait = LADDER[index]!;
    const isBusy = reason.includes('429');
    const least = isBusy ? Math.max(wait * 0.9, RETRY_AFTER) : wait * 0.9;
    const most = isBusy ? Math.max(wait * 1.1, RETRY_AFTER) : wait * 1.1;
    // Retry-After counts from the answer, which is settled a moment later.
    expect(nextMs - atMs).toBeGreaterThanOrEqual(least - 1);
    expect(nextMs - atMs).toBeLessThanOrEqual(most + 1);
    const next = failures[index + 1];
    if (next) expect(next.atMs).toBeGreaterThanOrEqual(nextMs);
  }
  for (const [index, { atMs }] of tries.slice(1).entries()) expect(atMs).toBeGreaterThanOrEqual(failures[index]?.nextMs ?? 0);
}

/** Accounts with a subscription and events; returns the kind of receiver of each event. */
async function seed({ ledger, clock }: WebhookCore, url: string, receivers: number): Promise<Map<string, Kind>> {
  const now = clock.now();
  const subject = {
    integrationId: randomUUID(),
    direction: 'incoming',
    head: { family: 'Invoice', documentId: '1' },
    createdAt: now,
    updatedAt: now,
  } as const;
  await ledger.write([], async (rows) => {
    for (let at = 0; at < receivers; at++) {
      const accountRegNo = `account-${at}`;
      const kind = kindOf(at);
      await insertAccount(rows, { accountRegNo, name: accountRegNo }, now);
      // Nobody listens on port 1.
      const target = kind === 'down' ? 'https://127.0.0.1:1/' : `${url}/${kind}/${at}`;
      await insertWebhook(rows, { scope: 'account', accountRegNo }, { id: `webhook-${at}`, url: target, types: EVENT_TYPES }, now);
      for (let event = 0; event < EVENTS_EACH; event++) {
        await recordEvents(rows, systemRandom, { ...subject, accountRegNo }, [{ event: 'created', status: 'received' }], now);
      }
    }
  });
  return new Map((await owedEvents(ledger)).map(({ eventId, webhookId }) => [eventId, kindOf(Number(webhookId.split('-')[1]))]));
}

function kindOf(at: number): Kind {
  return KINDS[at % KINDS.length]!;
}

/**
 * All that run are tries that a slow receiver stalls; what is due beside them may wait for a place in the lane: then nothing moves in so many
 * looks. A time would not do: the machine may have had none for us.
 */
const STILL_LOOKS = 150;
/** A machine with much else to do makes a thousand connections in minutes. */
const QUIET_WITHIN_MS = 20 * 60_000;

interface Tries {
  readonly stalling: readonly Stalled[];
  /** All that have reached a receiver, and those that stall among them. */
  readonly underWay: number;
}

/** Resolves when nothing happens any more before the clock moves. */
async function quiet({ ledger, clock }: WebhookCore, tries: () => Tries): Promise<void> {
  let [still, before] = [0, ''];
  await until(
    'it is quiet',
    async () => {
      const due = await owedEvents(ledger, clock.now());
      const { stalling, underWay } = tries();
      const webhooks = new Set(stalling.map(({ webhook }) => webhook));
      const now = JSON.stringify([due.length, stalling.length, underWay]);
      still = now === before ? still + 1 : 0;
      before = now;
      return (due.every(({ webhookId }) => webhooks.has(webhookId)) && underWay <= stalling.length) || still > STILL_LOOKS;
    },
    QUIET_WITHIN_MS,
  );
}
