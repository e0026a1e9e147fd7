// Several cores on one database: each answers for all accounts; what one holds the others leave alone, until it has ended.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startAlarms } from '#alarms/alarms.ts';
import type { AlarmSettings } from '#alarms/settings.ts';
import { type Core, type CoreOptions, startCore } from '#core/core.ts';
import { corePlace, processOfCore } from '#core/ledger/open.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import { rotateKey } from '#core/operate/administration.ts';
import { coreWatcher } from '#core/operate/alarms.ts';
import type { Seen } from '#domain/alarm.ts';
import { openDatabase } from '#engines/open.ts';
import { systemRandom } from '#runtime/clock.ts';
import { authority } from '../../support/authority.ts';
import { calm } from '../../support/calm.ts';
import { type ManualClock, manualClock } from '../../support/clock.ts';
import { type Call, coreOptions, request, silent, startTestCore, type TestCore } from '../../support/core.ts';
import { invoice } from '../../support/documents.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../../support/postgres.ts';
import { hasRedis, startRedis } from '../../support/redis-server.ts';
import { defectiveCore } from '../../support/stand-in/defective.ts';
import { until } from '../../support/until.ts';
import { hitsOf, OUTBOUND, ownReceiver } from '../../support/webhooks.ts';
import { areHeld, holdWebhooks, leaveUntaken } from '../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/buyer/invoices/incoming?includeRead=true';
const KEY = '6f1c7c1e-9a57-4b59-8a43-0d1f3b1a5a10';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The name of a core that has ended must stay free for a quarter of a minute, by a clock that no test moves. */
const FREED_MS = 120 * SECOND;

describe.runIf(hasPostgres)('Cores of one database', () => {
  let database: PostgresDatabase;
  let clock: ManualClock;
  let one: TestCore;
  let two: Core;

  beforeEach(async () => {
    database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    clock = manualClock();
    const settings = { clock, databaseServer: database.place, outbound: { ...OUTBOUND, ca: authority().ca } };
    one = await startTestCore({ ...settings, node: 'one' });
    onTestFinished(() => one[Symbol.asyncDispose]());
    two = await started({ ...settings, node: 'two' });
  });

  async function started(settings: Partial<CoreOptions>, start = startCore): Promise<Core> {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-core-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const core = await start({ ...coreOptions(folder, clock), sealPath: one.sealPath, ...settings });
    onTestFinished(() => core.close());
    return core;
  }

  const atTwo = (path: string, call: Call = {}) => request(two.url + path, { key: one.seller.apiKey, ...call });
  const send = (at: typeof atTwo, id: string, idempotencyKey?: string) =>
    at(OUT, { body: invoice({ id }), ...(idempotencyKey && { idempotencyKey }) });
  it('ring for what one of them took that has ended before it rang', async () => {
    const rung: string[] = [];
    await started({
      clock,
      databaseServer: database.place,
      node: 'three',
      ringsAgain: true,
      incoming: (account) => void rung.push(account),
    });
    expect((await one.call(OUT, { body: invoice() })).status).toBe(200);
    await one.core.close();
    await until('the ring', () => {
      clock.advance(10 * SECOND);
      return rung.includes('buyer');
    });
    expect(rung).toEqual(['buyer']);
  });

  async function subscribe(url: string, account: 'buyer' | 'seller' = 'buyer'): Promise<void> {
    const body = JSON.stringify({ url });
    const path = `/account/${account}/webhook/configure`;
    const answer = await one.call(path, { method: 'PUT', key: one[account].apiKey, type: 'application/json', body });
    expect(answer).toMatchObject({ status: 200 });
  }
  const hold = (account: string, holder: string) =>
    holdWebhooks(one.administration.ledger, account, holder, clock.now() + 10 * 60 * SECOND);
  const isFree = async (holder: string) => !(await areHeld(one.administration.ledger, holder));

  /** Under the name of a core that lives until the test has ended. */
  async function livingCore(incarnation: string): Promise<void> {
    const process = processOfCore(incarnation);
    const ledger = await openDatabase(corePlace('', database.place), coreSchema, { process });
    onTestFinished(() => ledger.close());
    await ledger.claim(process, async () => true);
  }

  const REFUSED = { code: 'locked', message: expect.stringContaining('give each of them a name (node)') };

  it('have each a name: beside them one without is refused', { timeout: 60_000 }, async () => {
    await expect(started({ databaseServer: database.place })).rejects.toMatchObject(REFUSED);
  });

  const SESSIONS = `select pid from pg_stat_activity where datname = current_database() and application_name like 'dropgate core%' order by pid`;

  /** All of the core that is there longest. */
  const END_OLDEST = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name =
    (select application_name from pg_stat_activity where datname = current_database() and application_name like 'dropgate core%' order by backend_start limit 1)`;

  /** A database of its own with one core on it, which has no name. */
  async function coreAlone() {
    const held = await newPostgresDatabase();
    onTestFinished(() => held[Symbol.asyncDispose]());
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-core-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const settings = { databaseServer: held.place, databasePath: join(folder, 'core.db') };
    await started(settings);
    const sessions = async () => (await held.administer(SESSIONS)).rows;
    return { settings, sessions, before: await sessions() };
  }

  it.each([
    ['with a name', { node: 'two' }],
    ['without one, too', {}],
  ])('are refused beside one without a name: one %s', { timeout: 60_000 }, async (_, named) => {
    const { settings, sessions, before } = await coreAlone();
    await expect(started({ databaseServer: settings.databaseServer, ...named })).rejects.toMatchObject(REFUSED);
    expect(await sessions()).toEqual(expect.arrayContaining(before));
  });

  it('are refused beside one without a name that has a data folder just like theirs, as a copy of its machine has', async () => {
    const { settings, sessions, before } = await coreAlone();
    await expect(started(settings)).rejects.toMatchObject(REFUSED);
    expect(await sessions()).toEqual(expect.arrayContaining(before));
  });

  it('leave no connection behind where there is none left for their name', async () => {
    const other = await newPostgresDatabase();
    onTestFinished(() => other[Symbol.asyncDispose]());
    await other.administer(`alter database ${other.place.database} connection limit 1`);
    await expect(started({ databaseServer: other.place })).rejects.toMatchObject({ code: 'storage' });
    await until('it to be gone', async () => (await other.administer(SESSIONS)).rows.length === 0);
  });

  it('answer with what was sent at another', async () => {
    const { json } = await send(one.call, 'A-1');
    const [found] = (await atTwo(IN, { key: one.buyer.apiKey, accept: 'application/json' })).json.data;
    expect(found.Invoice.ID._).toBe('A-1');
    expect((await atTwo(`${OUT}/status?integrationId=${json.data.integrationId}&includeRead=true`)).json).toHaveLength(1);
  });

  it('S133 S137 make one message of requests with one Idempotency-Key, wherever they come in', async () => {
    const tries = await Promise.all([one.call, atTwo, one.call, atTwo].map((at) => send(at, 'K-1', KEY)));
    const after = await Promise.all([one.call, atTwo].map((at) => send(at, 'K-1', KEY)));
    const made = [...tries.filter(({ status }) => status === 200), ...after];
    for (const refused of tries.filter(({ status }) => status !== 200)) {
      expect(refused).toMatchObject({ status: 409, json: { metadata: { reason: 'idempotency_in_flight' } } });
      expect(refused.json.metadata).not.toHaveProperty('integrationId');
    }
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(made.map(({ json }) => json.data.integrationId)).size).toBe(1);
    expect((await atTwo(IN, { key: one.buyer.apiKey, accept: 'application/json' })).json.data).toHaveLength(1);
  });

  it('refuse a key from the moment on that it was revoked at another', async () => {
    expect((await send(atTwo, 'R-1')).status).toBe(200);
    await rotateKey(one.administration, 'seller', 0);
    expect((await send(atTwo, 'R-2')).status).toBe(401);
  });

  it.runIf(hasRedis)('S311 spend one budget of an account, where they count in Redis', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis[Symbol.asyncDispose]());
    const settings = { databaseServer: database.place, countingServer: redis.place, requests: 1_000 };
    const counting = [await started({ ...settings, node: 'three' }), await started({ ...settings, node: 'four' })];
    const left = async (core: Core) => Number((await request(core.url + IN, { key: one.buyer.apiKey })).headers.get('ratelimit-remaining'));
    await until('both to count there', async () => {
      const [before = 0, after = 0] = [await left(counting[0]!), await left(counting[1]!)];
      return after === before - 1;
    });
  });

  it('tell a webhook of each event once between them', async () => {
    const receiver = await ownReceiver();
    await subscribe(receiver.url);
    const ids = Array.from({ length: 40 }, (_, count) => `W-${count}`);
    await Promise.all(ids.map((id, count) => send(count % 2 ? one.call : atTwo, id)));
    await hitsOf(receiver, ids.length);
    expect(receiver.hits.map(({ json }) => json.data.documentId).sort()).toEqual(ids.toSorted());
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(ids.length);
  });

  /** Whether a core that lives still has its turn with a webhook when one that has ended has it no more. */
  async function heldByLiving(start?: typeof startCore): Promise<boolean> {
    const { url } = await ownReceiver();
    for (const account of ['buyer', 'seller'] as const) await subscribe(url, account);
    await livingCore('LIVES');
    await hold('seller', 'LIVES');
    await hold('buyer', 'ENDED');
    await started({ databaseServer: database.place, node: 'three' }, start);
    clock.advance(10 * SECOND);
    await until('its end', () => isFree('ENDED'), FREED_MS);
    return areHeld(one.administration.ledger, 'LIVES');
  }

  it('free what one held that has ended, and leave alone what one holds that lives', { timeout: FREED_MS }, async () => {
    expect(await heldByLiving()).toBe(true);
  });

  it('a seeded defect is found: a core frees what all others hold', { timeout: FREED_MS }, async () => {
    const file = 'operate/ended-cores.ts';
    const start = await defectiveCore({ file, from: 'if (!(await ledger.outlive(processOfCore(holder), isAlone))) return;', to: '' });
    expect(await heldByLiving(start)).toBe(false);
  });

  /** Tells into a folder what a core says of alarms. */
  function tellsOf(core: Core): { looks: number; digests(): number } {
    const data = mkdtempSync(join(tmpdir(), 'dropgate-alarms-'));
    onTestFinished(() => rmSync(data, { recursive: true }));
    const tells = { looks: 0, digests: () => readdirSync(join(data, 'alarms')).filter((name) => name.endsWith('.txt')).length };
    const { kinds, look } = coreWatcher(core);
    const counted = (): Promise<Seen> => look().finally(() => tells.looks++);
    const settings: AlarmSettings = { digest: 15 * MINUTE, mail: null, webhook: null, outbound: { ca: null, dns: false } };
    const watchers = [{ kinds, look: counted }];
    const alarms = startAlarms({
      origin: { host: '', data },
      settings: () => settings,
      watchers,
      clock,
      random: systemRandom,
      log: silent,
    });
    onTestFinished(() => alarms[Symbol.asyncDispose]());
    return tells;
  }

  it('tell an alarm of all once: the one that is there longest, and another when its connections break, or it ends', async () => {
    await leaveUntaken(one.administration.ledger, clock.now() - 2 * HOUR);
    const both = [tellsOf(one.core), tellsOf(two)];
    const pass = async (minutes: number): Promise<number[]> => {
      for (let minute = 0; minute < minutes; minute++) {
        const before = both.map(({ looks }) => looks);
        clock.advance(MINUTE);
        await until('both looks', () => both.every(({ looks }, at) => looks > (before[at] ?? 0)));
        await calm();
      }
      return both.map(({ digests }) => digests());
    };
    await until('the first to tell it', async () => (await pass(1))[0] === 1);
    expect(await pass(30)).toEqual([1, 0]);
    await database.administer(END_OLDEST);
    await until('the other to tell it', async () => (await pass(1))[1] === 1);
    expect(await pass(30)).toEqual([1, 1]);
    await two.close();
    await until('the first to tell it anew', async () => (await pass(1))[0] === 2);
    expect(await pass(30)).toEqual([2, 1]);
  });

  it.each([
    ['has ended', 10 * SECOND],
    ['lives, when its time is over', 10 * 60 * SECOND],
  ])('take up a webhook that another holds, which %s', { timeout: FREED_MS }, async (_, afterMs) => {
    const receiver = await ownReceiver();
    await subscribe(receiver.url);
    if (afterMs > 10 * SECOND) await livingCore('OTHER');
    await hold('buyer', 'OTHER');
    await send(one.call, 'H-1');
    await send(atTwo, 'H-2');
    clock.advance(afterMs - 1);
    expect(receiver.hits).toEqual([]);
    clock.advance(1);
    await until('its end', () => isFree('OTHER'), FREED_MS);
    // The sweep of that moment may have looked before it: then the next one tells. While a try is under way its time must not pass.
    const isTold = () => new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size === 2;
    while (!(await until('both to be told', isTold, SECOND).catch(() => false))) clock.advance(10 * SECOND);
  });
});
