// The bell through BullMQ, on a real Redis: rings go there and come back into a queue in memory, which is held to what every queue is. A server that
// is emptied, stopped, full, or gone loses rings, and nothing else.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BullmqBell } from '#engines/bullmq/bell.ts';
import { BullmqListening } from '#engines/bullmq/listening.ts';
import { MemoryQueue } from '#engines/memory/queue.ts';
import type { Queue } from '#engines/queue.ts';
import { askRedis, type RedisPlace } from '#engines/redis/place.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { certified } from '../support/certificates.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { freePort } from '../support/free-port.ts';
import { hasRedis, type RedisSettings, type StartedRedis, startRedis } from '../support/redis-server.ts';
import { defectiveBell } from '../support/stand-in/defective.ts';
import { until } from '../support/until.ts';
import { expectOfQueue } from './queue.ts';

/** What is rung now goes through the server; what is to ring later stays with whoever plans it. */
async function queueThrough({ place }: StartedRedis, clock: Clock, log: Log): Promise<Queue> {
  const local = new MemoryQueue(clock, log);
  const incarnation = 'one';
  const bell = new BullmqBell(place, clock, log);
  const listening = new BullmqListening(place, {
    incarnation,
    served: () => [],
    heard: (topic, id) => local.ring(topic, id),
    clock,
    log,
  });
  const through = new Set<string>();
  local.answer('enrichment', 1, async (id) => void through.add(id));
  await until('the way through', () => {
    bell.ring(incarnation, 'enrichment', 'first');
    return through.size > 0;
  });
  return {
    ring: (topic, id, atMs) => (atMs === undefined ? bell.ring(incarnation, topic, id) : local.ring(topic, id, atMs)),
    answer: (topic, concurrency, handler) => local.answer(topic, concurrency, handler),
    async close() {
      await local.close();
      await listening.close();
      await bell.close();
    },
  };
}

async function redisOfTest(settings?: RedisSettings): Promise<StartedRedis> {
  const redis = await startRedis(settings);
  onTestFinished(() => redis[Symbol.asyncDispose]());
  return redis;
}

describe.skipIf(!hasRedis)('BullMQ', () => {
  expectOfQueue('BullMQ', async (clock, log) => queueThrough(await redisOfTest(), clock, log));

  /** A core, and gateways that hear it. */
  function openStage(place: RedisPlace, Opened = BullmqBell, clock = systemClock) {
    const lines: string[] = [];
    const log = openLog('info', { write: (line) => void lines.push(line) });
    const bell = new Opened(place, clock, log);
    onTestFinished(() => bell.close());
    function listenBy(clock: Clock, incarnation: string, ...served: string[]) {
      const heard: string[] = [];
      const reached: boolean[] = [];
      const listening = new BullmqListening(place, {
        incarnation,
        served: () => served,
        heard: (topic, id) => void heard.push(`${topic} ${id}`),
        reached: (isReached) => void reached.push(isReached),
        clock,
        log,
      });
      onTestFinished(() => listening.close());
      return {
        heard,
        reached,
        serve: (...accounts: string[]) => listening.serve(accounts),
        leave: (...accounts: string[]) => listening.leave(accounts),
        close: () => listening.close(),
      };
    }
    return {
      bell,
      lines,
      listen: (incarnation: string, ...served: string[]) => listenBy(systemClock, incarnation, ...served),
      listenBy,
      told: (event: string) => lines.filter((line) => line.includes(`"${event}"`)).map((line) => JSON.parse(line)),
    };
  }

  /** Rings until it is heard, each time with another id. */
  let rung = 0;
  type Gateway = { readonly heard: readonly string[] };
  const untilHeard = (stage: ReturnType<typeof openStage>, ...gateways: Gateway[]): Promise<void> =>
    untilHeardFor('buyer', stage, ...gateways);
  async function untilHeardFor(account: string, stage: ReturnType<typeof openStage>, ...gateways: Gateway[]): Promise<void> {
    const mine: string[] = [];
    await until('a ring to be heard', () => {
      const id = `${account} ${rung++}`;
      mine.push(`incoming ${id}`);
      stage.bell.ringFor(account, 'incoming', id);
      return gateways.every(({ heard }) => mine.some((each) => heard.includes(each)));
    });
  }

  /** A gateway that hears nothing, and counts as living. */
  async function untilDeafIsRung(redis: StartedRedis, stage: ReturnType<typeof openStage>): Promise<void> {
    await redis.ask('set', 'dropgate:alive:deaf', '1');
    await redis.ask('sadd', 'dropgate:gateways', 'deaf');
    await until('it to be rung', async () => {
      stage.bell.ringFor('buyer', 'incoming', 'buyer Invoice');
      return (await redis.ask('llen', 'dropgate:gateway-deaf:wait')) !== 0;
    });
  }

  it('rings in all gateways that live, once in each, and in one alone', async () => {
    const { place } = await redisOfTest();
    const stage = openStage(place);
    const [one, two] = [stage.listen('one'), stage.listen('two')];
    await untilHeard(stage, one, two);
    for (let id = 0; id < 200; id++) stage.bell.ringFor('buyer', 'status', `${id}`);
    stage.bell.ring('one', 'turned-away', 'buyer');
    const statuses = (heard: readonly string[]): readonly string[] => heard.filter((each) => each.startsWith('status'));
    await until('all rings', () => [one, two].every(({ heard }) => new Set(statuses(heard)).size === 200));
    await until('the one', () => one.heard.includes('turned-away buyer'));
    expect(statuses(two.heard)).toHaveLength(200);
    expect(two.heard).not.toContain('turned-away buyer');
  });

  it('rings in the gateway that serves the account, in the last that said so, and in all again when it has ended', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const [one, two] = [stage.listen('one', 'seller'), stage.listen('two')];
    const inBoth = async (account: string): Promise<void> => untilHeardFor(account, stage, one, two);
    await inBoth('buyer');
    await until('it to be known', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === 'one');
    await untilHeardFor('seller', stage, one);
    expect(two.heard.filter((each) => each.startsWith('incoming seller'))).toEqual([]);

    two.serve('seller');
    await until('the other to be known', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === 'two');
    const first = rung;
    await untilHeardFor('seller', stage, two);
    expect(one.heard).not.toContain(`incoming seller ${first}`);

    two.leave('seller');
    await until('none to be known', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === null);
    await untilHeardFor('seller', stage, one, two);

    two.serve('seller');
    await until('it to be known again', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === 'two');
    await two.close();
    await untilHeardFor('seller', stage, one);
  });

  it('rings in a gateway that has just said that it serves the account, before the bell looks which ones live', async () => {
    const redis = await redisOfTest();
    const neverAgain: Clock = { ...systemClock, after: () => ({ [Symbol.dispose]: () => undefined }) };
    const stage = openStage(redis.place, BullmqBell, neverAgain);
    await until('its first look', async () => (await redis.ask('exists', 'dropgate:written')) === 1);
    const one = stage.listen('one', 'seller');
    await until('it to be known', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === 'one');
    await untilHeardFor('seller', stage, one);
  });

  it('rings in all once the server was emptied, until gateways say again whom they serve', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const [one, two] = [stage.listen('one', 'seller'), stage.listen('two')];
    await untilHeard(stage, one, two);
    await redis.ask('flushall');
    await untilHeardFor('seller', stage, one, two);
    await redis.kill();
    await redis.start();
    await until('it to be known', async () => (await redis.ask('hget', 'dropgate:serving', 'seller')) === 'one');
  });

  /** How often it is heard. */
  async function rungWithOneId(times: number, Opened?: typeof BullmqBell): Promise<number> {
    const redis = await redisOfTest();
    const stage = openStage(redis.place, Opened);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    for (let ring = 0; ring < times; ring++) stage.bell.ringFor('buyer', 'status', 'buyer Invoice');
    await untilHeard(stage, one);
    // Later rings may be heard before the last ones of these.
    await until('all to be heard', async () => (await redis.ask('llen', 'dropgate:gateway-one:active')) === 0);
    return one.heard.filter((each) => each === 'status buyer Invoice').length;
  }

  it('brings each ring, also of one id: none is left out for another', async () => {
    expect(await rungWithOneId(100)).toBe(100);
  });

  it('a seeded defect is found: jobs have a fixed id', async () => {
    const settings = '{ ...LEAVES_NOTHING';
    const to = `${settings}, jobId: \`\${topic} \${id}\``;
    expect(await rungWithOneId(100, await defectiveBell({ file: 'bullmq/bell.ts', from: settings, to }))).toBeLessThan(100);
  });

  it('loses rings beyond a thousand under way', async () => {
    const { place } = await redisOfTest();
    const stage = openStage(place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    for (let ring = 0; ring < 5_000; ring++) stage.bell.ringFor('buyer', 'status', `${ring}`);
    await until('the last that was not lost', () => one.heard.includes('status 900'));
    await untilHeard(stage, one);
    expect(one.heard.filter((each) => each.startsWith('status')).length).toBeLessThanOrEqual(1_000);
  });

  it('speaks TLS with a server whose certificate names it, and with no other', async () => {
    const authority = certified({ name: 'Authority of the queue', kind: 'ec', isAuthority: true });
    const { certificate, key } = certified({ name: 'queue', kind: 'ec', by: authority, names: { ip: [], dns: ['localhost'] } });
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': authority.certificate };
    const settings = Object.entries(files).map(([name, text]) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return [name, path] as const;
    });
    const port = await freePort();
    const redis = await redisOfTest({ settings: { 'tls-port': `${port}`, 'tls-auth-clients': 'no', ...Object.fromEntries(settings) } });
    const place = { ...redis.place, host: 'localhost', port, isEncrypted: true, ca: authority.certificate };
    await askRedis(place);
    await expect(askRedis({ ...place, ca: null })).rejects.toThrow(/certificate/);
    await expect(askRedis({ ...place, host: '127.0.0.1' })).rejects.toThrow(/altnames/);
    await expect(askRedis({ ...place, isEncrypted: false })).rejects.toThrow();
  });

  it('leaves nothing of a gateway that has ended, and nothing of jobs that are done', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const [one, two] = [stage.listen('one'), stage.listen('two')];
    await untilHeard(stage, one, two);
    await one.close();
    await until('it to be forgotten', async () => !String(await redis.ask('keys', '*')).includes('one'));
    await untilHeard(stage, two);
    await until('jobs to be gone', async () => !/gateway-two:\d/.test(String(await redis.ask('keys', '*'))));
  });

  it('rings no more for a gateway that has ended', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const two = stage.listen('two');
    await untilHeard(stage, two);
    stage.bell.ring('ended', 'incoming', 'buyer Invoice');
    await untilHeard(stage, two);
    expect(String(await redis.ask('keys', '*'))).not.toContain('ended');
  });

  it('leaves nothing of a ring for a gateway that another bell has forgotten since the last look', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    await untilDeafIsRung(redis, stage);
    await redis.ask('srem', 'dropgate:gateways', 'deaf');
    await redis.ask('del', 'dropgate:alive:deaf');
    await until('nothing to be left', async () => !String(await redis.ask('keys', '*')).includes('deaf'));
  });

  it('has several bells forget the same gateways at the same time', async () => {
    const redis = await redisOfTest();
    const stages = Array.from({ length: 4 }, () => openStage(redis.place));
    const [stage] = stages;
    if (!stage) throw new Error('there is no bell');
    const one = stage.listen('one');
    await untilHeard(stage, one);
    const ended = Array.from({ length: 20 }, (_, at) => `ended${at}`);
    for (const each of ended) await redis.ask('lpush', `dropgate:gateway-${each}:wait`, '1');
    await redis.ask('sadd', 'dropgate:gateways', ...ended);
    await until('all to be forgotten', async () => !String(await redis.ask('keys', '*')).includes('ended'));
    await untilHeard(stage, one);
    expect(stages.flatMap(({ told }) => told('bell.away'))).toEqual([]);
  });

  it('hears nothing that is no ring, and goes on after it', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    const { Queue } = await import('bullmq');
    const jobs = new Queue('gateway-one', { connection: { host: redis.place.host, port: redis.place.port }, prefix: 'dropgate' });
    onTestFinished(() => jobs.close());
    await redis.ask('hset', 'dropgate:gateway-one:broken', 'name', 'incoming', 'data', '{', 'opts', '{', 'timestamp', '1');
    await redis.ask('lpush', 'dropgate:gateway-one:wait', 'broken');
    await jobs.add('zebra', { id: 'a' });
    await jobs.add('incoming', { id: 'a'.repeat(201) });
    await jobs.add('incoming', { id: 7 });
    await jobs.add('incoming', null);
    await jobs.add('status', { id: 'last' });
    await until('the last', () => one.heard.includes('status last'));
    expect(one.heard.filter((each) => !each.startsWith('incoming buyer '))).toEqual(['status last']);
  });

  it('rings again after the server was emptied', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    await redis.ask('flushall');
    await untilHeard(stage, one);
  });

  it('keeps nobody waiting while the server is stopped, says so once, and rings again when it goes on', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    redis.signal('SIGSTOP');
    for (let ring = 0; ring < 5_000; ring++) stage.bell.ringFor('buyer', 'incoming', `buyer ${ring}`);
    await until('both sides to be told', () => stage.told('bell.away').length === 2);
    for (let ring = 0; ring < 5_000; ring++) stage.bell.ringFor('buyer', 'incoming', `buyer ${ring}`);
    redis.signal('SIGCONT');
    await untilHeard(stage, one);
    await until('both sides to be back', () => stage.told('bell.back').length === 2);
    expect(stage.told('bell.away')).toHaveLength(2);
    expect(stage.told('bell.back').find(({ side }) => side === 'ring').lostRings).toBeGreaterThanOrEqual(4_000);
  });

  it('what was rung has gone when it is closed', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    for (let ring = 0; ring < 100; ring++) stage.bell.ringFor('buyer', 'status', `${ring}`);
    await stage.bell.close();
    await until('all to be heard', () => new Set(one.heard.filter((each) => each.startsWith('status'))).size === 100);
  });

  it('closes while the server is stopped', async () => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    redis.signal('SIGSTOP');
    stage.bell.ringFor('buyer', 'incoming', 'buyer Invoice');
    await one.close();
    await stage.bell.close();
    redis.signal('SIGCONT');
  });

  it('rings again after the server was killed, and when it was not there at first', async () => {
    const redis = await redisOfTest({ isStarted: false });
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await until('both sides to be told', () => stage.told('bell.away').length === 2);
    expect(stage.told('bell.away')[0].reason).toContain('ECONNREFUSED');
    expect(stage.told('bell.away')[0].sentence).toContain('mend queue.url');
    stage.bell.ringFor('buyer', 'incoming', 'buyer Invoice');
    for (const _ of ['first', 'again']) {
      await redis.start();
      await untilHeard(stage, one);
      await redis.kill();
      stage.bell.ringFor('buyer', 'incoming', 'buyer Invoice');
    }
  });

  it('loses rings while the server is full, and says so once', async () => {
    const redis = await redisOfTest({ settings: { 'maxmemory-policy': 'noeviction' } });
    const stage = openStage(redis.place);
    const one = stage.listen('one');
    await untilHeard(stage, one);
    await redis.ask('config', 'set', 'maxmemory', '1');
    await until('the core to be told', () => {
      stage.bell.ringFor('buyer', 'incoming', 'buyer Invoice');
      return stage.told('bell.away').some(({ side, reason }) => side === 'ring' && reason.includes('OOM'));
    });
    await redis.ask('config', 'set', 'maxmemory', '0');
    await untilHeard(stage, one);
    expect(stage.told('bell.away').filter(({ side }) => side === 'ring')).toHaveLength(1);
  });

  it.each<[string, (bell: BullmqBell, id: string) => void]>([
    ['for an account', (bell, id) => bell.ringFor('buyer', 'incoming', id)],
    ['for itself', (bell, id) => bell.ring('deaf', 'incoming', id)],
  ])('loses rings for a gateway that hears none, %s, from ten thousand on', async (_, ring) => {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    await untilDeafIsRung(redis, stage);
    let waiting = 0;
    await until('it to be rung no more', async () => {
      const before = waiting;
      for (let id = 0; id < 1_000; id++) ring(stage.bell, `buyer ${id}`);
      waiting = Number(await redis.ask('llen', 'dropgate:gateway-deaf:wait'));
      return waiting > 10_000 && waiting === before;
    });
    expect(waiting).toBeLessThan(100_000);
  });

  it('tells why it cannot log in, without the password', async () => {
    const redis = await redisOfTest({ settings: { requirepass: 'right' } });
    await askRedis(redis.place);
    const wrong = { ...redis.place, password: 'wrong secret' };
    await expect(askRedis(wrong)).rejects.toThrow('WRONGPASS');
    const stage = openStage(wrong);
    await until('to be told', () => stage.told('bell.away').some(({ reason }) => reason.includes('WRONGPASS')));
    expect(stage.lines.join()).not.toContain('wrong secret');
  });

  it('does without a server that has no database of that number, and says so', async () => {
    const redis = await redisOfTest();
    const wrong = { ...redis.place, database: 16 };
    await expect(askRedis(wrong)).rejects.toThrow('DB index is out of range');
    const stage = openStage(wrong);
    stage.listen('one', 'seller');
    await until('both sides to be told', () => stage.told('bell.away').length === 2);
    expect(stage.told('bell.away')[0].reason).toContain('DB index is out of range');
    await until('them to have tried again and again', async () => {
      const refused = /cmdstat_select:.*failed_calls=(\d+)/.exec(String(await redis.ask('info', 'commandstats')))?.[1];
      return Number(refused) > 20;
    });
    expect(stage.told('bell.back')).toEqual([]);
    expect(await redis.ask('keys', '*')).toEqual([]);
  });

  it.each([
    ['was emptied', ['flushall']],
    ['has let it end', ['del', 'dropgate:alive:one']],
  ])('a gateway takes for lost what was rung where its server %s', async (_, [command = '', ...args]) => {
    const redis = await redisOfTest();
    const clock = manualClock();
    const one = openStage(redis.place).listenBy(clock, 'one');
    await until('the server to be reached', () => one.reached.length > 0);
    await redis.ask('pexpire', 'dropgate:alive:one', '9000');
    await until('it to be renewed', async () => {
      clock.advance(2_000);
      return Number(await redis.ask('pttl', 'dropgate:alive:one')) > 9_000;
    });
    expect(one.reached).toEqual([true]);
    await redis.ask(command, ...args);
    await until('it to be told', () => {
      clock.advance(2_000);
      return one.reached.length > 2;
    });
    expect(one.reached).toEqual([true, false, true]);
  });

  /** A gateway by a clock of the test, which has heard its rings. */
  async function oneThatHears() {
    const redis = await redisOfTest();
    const stage = openStage(redis.place);
    const clock = manualClock();
    const one = stage.listenBy(clock, 'one', 'seller');
    await untilHeard(stage, one);
    return { redis, stage, clock, one };
  }

  /** Its rings come no more; resolves when it has told so. */
  async function untilItTellsThatItIsDeaf(stage: ReturnType<typeof openStage>, clock: ManualClock): Promise<void> {
    await until('it to be told', () => {
      clock.advance(2_000);
      return stage.told('bell.away').length > 0;
    });
    expect(stage.told('bell.away')).toMatchObject([{ side: 'listen', sentence: expect.stringContaining('BZPOPMIN') }]);
  }

  async function untilItHearsAgain(stage: ReturnType<typeof openStage>, clock: ManualClock): Promise<void> {
    await until('it to hear', () => {
      clock.advance(2_000);
      return stage.told('bell.back').length > 0;
    });
    expect(stage.told('bell.back')).toMatchObject([{ side: 'listen' }]);
  }

  it('a gateway whose rings do not come says so, and does not count as living until they do', async () => {
    const { redis, stage, clock, one } = await oneThatHears();
    await redis.ask('acl', 'setuser', 'default', '-bzpopmin');
    await untilItTellsThatItIsDeaf(stage, clock);
    expect(one.reached).toEqual([true, false]);
    expect(await redis.ask('exists', 'dropgate:alive:one')).toBe(0);
    const waiting = async (): Promise<number> => Number(await redis.ask('llen', 'dropgate:gateway-one:wait'));
    const unheard = Math.max(await waiting(), 1);
    for (let renewal = 0; renewal < 20; renewal++) {
      clock.advance(2_000);
      expect(await waiting()).toBeLessThanOrEqual(unheard);
    }
    expect(stage.told('bell.back')).toEqual([]);
    await redis.ask('acl', 'setuser', 'default', '+bzpopmin');
    await untilItHearsAgain(stage, clock);
    expect(one.reached).toEqual([true, false, true]);
    await untilHeard(stage, one);
  });

  it('a gateway whose queue was paused says so, and hears again', async () => {
    const { redis, stage, clock, one } = await oneThatHears();
    await redis.ask('hset', 'dropgate:gateway-one:meta', 'paused', '1');
    await untilItTellsThatItIsDeaf(stage, clock);
    await untilItHearsAgain(stage, clock);
    await untilHeard(stage, one);
  });

  it('a gateway at rest hears itself', async () => {
    const { redis, stage, clock, one } = await oneThatHears();
    const ownRings = async (): Promise<number> =>
      Number(/cmdstat_bzpopmin:calls=(\d+)/.exec(String(await redis.ask('info', 'commandstats')))?.[1]);
    const before = await ownRings();
    await until('many', async () => {
      clock.advance(2_000);
      return (await ownRings()) > before + 10;
    });
    expect(one.reached).toEqual([true]);
    expect(stage.told('bell.away')).toEqual([]);
    expect(one.heard.filter((each) => !each.startsWith('incoming buyer '))).toEqual([]);
  });
});
