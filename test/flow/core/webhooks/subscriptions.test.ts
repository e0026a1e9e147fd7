// Subscriptions: when they are disabled, what a change or a stop does to tries that run.
import { beforeEach, describe, expect, it } from 'vitest';
import { selectDead } from '#core/ledger/dead-letters.ts';
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

describe('a subscription', () => {
  it('is disabled by a 410; what waited is given up; a PUT enables it', async () => {
    const core = await ownCore();
    const id = await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 500 });
    for (const each of ['1', '2', '3']) await core.send(each);
    await core.settled();
    receiver.script = () => ({ status: 410 });
    await core.toNext();
    await until('it is disabled', async () => (await core.call('buyer', 'GET', 'configure')).json.enabled === false);
    await core.settled();
    await until('all are dead', async () => (await selectDead(core.test.administration.ledger.read, id, 10)).length === 3);
    const before = receiver.hits.length;
    await core.send('4');
    core.clock.advance(24 * HOUR);
    await core.settled();
    expect(receiver.hits).toHaveLength(before);
    await expect(replayDeadLetters(core.test.administration, { webhookId: id })).rejects.toMatchObject({
      code: 'invalid',
      message: /disabled/,
    });
    expect(await core.subscribe('buyer', receiver.url)).toBe(id);
    expect((await core.call('buyer', 'GET', 'configure')).json).toMatchObject({ enabled: true });
    receiver.script = () => ({ status: 204 });
    await core.send('5');
    await until('it is delivered again', () => receiver.hits.some(({ json }) => json.data.documentId === '5'));
    expect(await replayDeadLetters({ ...core.test.administration, clock: core.clock }, { webhookId: id })).toBe(3);
  });

  it('is disabled after five days without any success, and not before; one success begins anew', async () => {
    const core = await ownCore();
    const id = await core.subscribe('buyer', receiver.url);
    const isEnabled = async () => (await core.call('buyer', 'GET', 'configure')).json.enabled;
    const fail = async (name: string) => {
      const before = receiver.hits.length;
      await core.send(name);
      await until('a try', () => receiver.hits.length > before);
      await core.settled();
    };
    const day = 24 * HOUR;
    receiver.script = () => ({ status: 500 });
    await fail('1');
    core.clock.advance(4 * day);
    await fail('2');
    expect(await isEnabled()).toBe(true);
    receiver.script = () => ({ status: 204 });
    await fail('works');
    await until('the receiver does well', async () => (await listWebhooks(core.test.administration))[0]!.failingSince === null);
    receiver.script = () => ({ status: 500 });
    core.clock.advance(day);
    await fail('3');
    core.clock.advance(5 * day - MINUTE);
    await fail('4');
    expect(await isEnabled()).toBe(true);
    core.clock.advance(MINUTE);
    await fail('5');
    expect(await isEnabled()).toBe(false);
    expect(await listWebhooks(core.test.administration)).toMatchObject([{ id, enabled: false, disabledReason: 'failing' }]);
    // A PUT gives it five days again.
    await core.subscribe('buyer', receiver.url);
    await fail('6');
    expect(await isEnabled()).toBe(true);
  });

  it('that is changed is not held back by what its receiver asked for before', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 503, headers: { 'retry-after': '36000' } });
    await core.send('1');
    await hits(1);
    await core.settled();
    receiver.script = () => ({ status: 204 });
    await core.subscribe('buyer', `${receiver.url}/moved`);
    await core.send('2');
    expect((await hits(2))[1]).toMatchObject({ path: '/moved', json: { data: { documentId: '2' } } });
  });

  it('loses what was given up longer ago than it is kept', async () => {
    const core = await ownCore({ webhooks: { keepDead: 24 * HOUR } });
    receiver.script = () => ({ status: 410 });
    const dead = async () => (await selectDead(core.test.administration.ledger.read, null, 10)).map(({ eventId }) => eventId);
    for (const [at, number] of ['1', '2'].entries()) {
      if (at > 0) core.clock.advance(12 * HOUR);
      await core.subscribe('buyer', receiver.url);
      await core.send(number);
      await until(`${number} is given up`, async () => (await dead()).length === at + 1);
    }
    const [second, first] = await dead();
    // It is looked for every hour.
    core.clock.advance(10 * HOUR);
    expect(await dead()).toEqual([second, first]);
    core.clock.advance(2 * HOUR);
    await until('the first is forgotten', async () => {
      core.clock.advance(10 * SECOND);
      return !(await dead()).includes(first ?? '');
    });
    expect(await dead()).toEqual([second]);
  });

  it('a success beside a failure of the same moment begins anew, too', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    const failingSince = async () => (await listWebhooks(core.test.administration))[0]!.failingSince;
    const doors = { first: Promise.withResolvers<void>(), slow: Promise.withResolvers<void>() };
    receiver.script = async ({ json }) => {
      const { documentId } = json.data;
      if (documentId === 'first') await doors.first.promise;
      if (documentId === 'slow') await doors.slow.promise;
      return { status: documentId === 'fails' ? 500 : 204 };
    };
    await core.send('first');
    await hits(1);
    // These go out beside each other, as soon as the first one has proved that the receiver does well, and as the second one takes its time.
    await core.send('slow');
    await core.send('fails');
    doors.first.resolve();
    await hits(2);
    core.clock.advance(SECOND);
    await until('the failure is known', async () => (await failingSince()) !== null);
    doors.slow.resolve();
    await core.settled();
    expect(await failingSince()).toBeNull();
  });

  it('that is changed while a try runs is not punished for what its old address did', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', `${receiver.url}/old`);
    let release = (): void => {};
    receiver.script = ({ path }) =>
      path === '/old' ? new Promise((resolve) => (release = () => resolve({ status: 410 }))) : { status: 204 };
    await core.send('1');
    await hits(1);
    await core.subscribe('buyer', `${receiver.url}/new`);
    release();
    await core.settled();
    expect((await core.call('buyer', 'GET', 'configure')).json).toMatchObject({ enabled: true });
    await core.toNext();
    expect((await hits(2))[1]!.path).toBe('/new');
  });

  it('may only lead where the guard lets it, also when it is configured by name', async () => {
    const core = await ownCore({ outbound: { allow: false, deny: false, ca: null, dns: false } });
    const id = await core.subscribe('buyer', `https://localhost:${receiver.port}/`);
    await core.send('1');
    await until('it has failed', async () => (await core.owed())[0]?.reason);
    expect(receiver.connections).toBe(0);
    await core.call('buyer', 'DELETE', 'configure');
    expect(await listWebhooks(core.test.administration)).not.toMatchObject([{ id }]);
  });

  it('stops use up no tries: one that fails after many of them is tried again', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => 'hang';
    await core.send('1');
    for (let stops = 1; stops <= 11; stops++) {
      await hits(stops);
      await core.test.restart();
    }
    await hits(12);
    receiver.script = () => ({ status: 500 });
    await core.test.restart();
    await hits(13);
    await core.settled();
    expect(await selectDead(core.test.administration.ledger.read, null, 10)).toEqual([]);
    expect(await core.toNext()).toBe(true);
  });

  it('a stop in the middle of a try sends the event again after the start, with the same id', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => 'hang';
    await core.send('1');
    await hits(1);
    // The try that hangs goes on to.
    receiver.script = () => ({ status: 204 });
    await core.test.restart();
    const [first, second] = await hits(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });
});
