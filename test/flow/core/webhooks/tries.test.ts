// A try that fails is made again on the ladder of waits, until it is given up.
import { beforeEach, describe, expect, it } from 'vitest';
import { selectDead } from '#core/ledger/dead-letters.ts';
import { webhookWithId } from '#core/ledger/webhooks.ts';
import { listWebhooks, replayDeadLetters } from '#core/operate/webhooks.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { until } from '../../../support/until.ts';
import { hitsOf, ownCore, ownReceiver } from '../../../support/webhooks.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await ownReceiver();
});

const hits = (count: number) => hitsOf(receiver, count);

describe('a try that fails', () => {
  it.each([
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, 'The receiver answered 302.'],
    ['an error', { status: 500 }, 'The receiver answered 500.'],
    ['a refusal', { status: 404 }, 'The receiver answered 404.'],
    ['a cut', 'reset', /^There was no answer: /],
  ] as const)('for %s is tried again', async (_, reply, reason) => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => reply;
    await core.send('1');
    await hits(1);
    await core.settled();
    const [event] = await core.owed();
    expect(event?.reason).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
    receiver.script = () => ({ status: 200 });
    await core.toNext();
    await hits(2);
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });

  it('S320 a receiver that does not answer within 10 seconds has failed; one that answers in the last of them has not', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    let release = (): void => {};
    receiver.script = () => new Promise((resolve) => (release = () => resolve({ status: 200 })));
    await core.send('1');
    await hits(1);
    core.clock.advance(9_999);
    expect(await core.owed()).toMatchObject([{ reason: null }]);
    core.clock.advance(1);
    await core.settled();
    expect(await core.owed()).toMatchObject([{ reason: 'There was no answer within 10000 ms.' }]);
    await core.toNext();
    await hits(2);
    core.clock.advance(9_999);
    release();
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });

  it('is tried ten times on the ladder, then kept as a dead letter that an operator sends again, with the same id', async () => {
    const core = await ownCore();
    const { administration } = core.test;
    const id = await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 500 });
    await core.send('1');
    const times: number[] = [];
    for (let count = 1; count <= 10; count++) {
      await hits(count);
      times.push(core.clock.now());
      await core.toNext();
    }
    expect(await core.toNext()).toBe(false);
    const waits = times.slice(1).map((at, index) => at - times[index]!);
    const ladder = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(ladder[index]! * 0.9);
      expect(wait).toBeLessThanOrEqual(ladder[index]! * 1.1);
    }
    expect(new Set(waits.map((wait, index) => (wait / ladder[index]!).toFixed(4))).size).toBeGreaterThan(3);
    const [dead] = await selectDead(administration.ledger.read, id, 10);
    expect(dead).toMatchObject({ webhookId: id, accountRegNo: 'buyer', attempts: 10, reason: 'The receiver answered 500.' });
    expect(await listWebhooks(administration)).toMatchObject([
      { id, waiting: 0, dead: 1, enabled: true, host: `127.0.0.1:${receiver.port}` },
    ]);
    receiver.script = () => ({ status: 204 });
    // Due in a moment: the last turn, which may still end, would take it at once, and the ten seconds would be those of its try.
    const inAMoment = { ...core.clock, now: () => core.clock.now() + SECOND };
    expect(await replayDeadLetters({ ...administration, clock: inAMoment }, { eventIds: [dead!.eventId] })).toBe(1);
    core.clock.advance(10 * SECOND);
    expect((await hits(11))[10]!.headers['webhook-id']).toBe(dead!.eventId);
    await core.settled();
    expect(await selectDead(administration.ledger.read, null, 10)).toEqual([]);
  });

  it.each([
    ['seconds', 429, () => '600', 10 * MINUTE],
    ['seconds', 502, () => '600', 10 * MINUTE],
    ['a date', 503, (nowMs: number) => new Date(nowMs + 10 * MINUTE).toUTCString(), 10 * MINUTE],
    ['too long a time', 504, () => '999999', 24 * HOUR],
  ])('Retry-After as %s beside %i holds back everything for the receiver', async (_, status, retryAfter, waitMs) => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status, headers: { 'retry-after': retryAfter(core.clock.now()) } });
    await core.send('1');
    await hits(1);
    await core.settled();
    await core.send('2');
    receiver.script = () => ({ status: 204 });
    core.clock.advance(waitMs - SECOND);
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
    core.clock.advance(SECOND);
    await hits(3);
  });

  it('of two that were asked for at the same moment the longer one counts, whichever came last', async () => {
    const core = await ownCore();
    const id = await core.subscribe('buyer', receiver.url);
    const doors = { first: Promise.withResolvers<void>(), short: Promise.withResolvers<void>() };
    receiver.script = async ({ json }) => {
      const { documentId } = json.data;
      if (documentId === 'first') await doors.first.promise;
      if (documentId === 'short') await doors.short.promise;
      if (documentId === 'first') return { status: 204 };
      return { status: 429, headers: { 'retry-after': documentId === 'short' ? '60' : '3600' } };
    };
    await core.send('first');
    await hits(1);
    // These go out beside each other.
    await core.send('short');
    await core.send('long');
    doors.first.resolve();
    await hits(2);
    core.clock.advance(SECOND);
    const pausedUntil = async () => (await webhookWithId(core.ledger.read, id))?.paused_until;
    await until('the longer pause', async () => (await pausedUntil()) !== null);
    doors.short.resolve();
    await until('both have failed', async () => {
      const owed = await core.owed();
      return owed.length === 2 && owed.every(({ attempts }) => attempts === 1);
    });
    receiver.script = () => ({ status: 204 });
    await core.send('later');
    core.clock.advance(30 * MINUTE);
    await core.settled();
    expect(receiver.hits).toHaveLength(3);
    core.clock.advance(30 * MINUTE);
    await hits(6);
  });

  it('Retry-After of another status, shorter than the ladder, or that says no time to come, changes nothing', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    for (const [status, retryAfter] of [
      [500, '3600'],
      [503, '1'],
      [503, 'soon'],
      [429, new Date(core.clock.now() - HOUR).toUTCString()],
    ] as const) {
      receiver.script = () => ({ status, headers: { 'retry-after': retryAfter } });
      const before = core.clock.now();
      await core.send(retryAfter);
      await until('a try', () => receiver.hits.length > 0);
      await core.settled();
      await core.toNext();
      expect(core.clock.now() - before).toBeGreaterThanOrEqual(4.5 * SECOND);
      expect(core.clock.now() - before).toBeLessThanOrEqual(5.5 * SECOND);
      receiver.script = () => ({ status: 204 });
      core.clock.advance(HOUR);
      await core.settled();
    }
  });
});
