// The lease of a node: by either clock it ends the process in time, and others end a node only after it, in a way that nothing of it comes later.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as below } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { takeHomes } from '#gateway/ledger/hands.ts';
import { readFree, readNodes, readTakeovers, renewLease } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { leaveRing, readRings } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { end, type Joined, join } from '#gateway/nodes/join.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../../../support/postgres.ts';
import { startRelay } from '../../../support/relay.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';
import { NAMED_LEASE_MS, openNamedNodes } from '../../../support/world/named-nodes.ts';

const LEASE_MS = 3_600_000;

interface StartedHow {
  readonly incarnation?: string;
  readonly clock?: ManualClock;
  readonly log?: Log;
}

describe.runIf(hasPostgres)('A node', () => {
  let database: PostgresDatabase;
  let data: string;

  beforeEach(async () => {
    database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    data = mkdtempSync(below(tmpdir(), 'dropgate-lease-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  });

  async function opened(process: string, at: Pick<PostgresPlace, 'host' | 'port'>): Promise<Ledger> {
    const ledger = await openGatewayLedger(data, { ...database.place, ...at }, { process });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  /** By clocks that the test moves. */
  async function start(name: string, leaseMs = LEASE_MS, at: Pick<PostgresPlace, 'host' | 'port'> = database.place, how: StartedHow = {}) {
    const { host, port } = at;
    const { incarnation = `incarnation-of-${name}`, clock = manualClock(), log = openLog('silent') } = how;
    const [ledger, own] = [await opened(incarnation, { host, port }), await opened(incarnation, { host, port })];
    const machine = { ticks: 0 };
    const lost: string[] = [];
    const settings = { name, leaseMs, calmMs: 0, lost: (sentence: string) => void lost.push(sentence) };
    const parts = { settings, data, place: name, ledger, own, incarnation, ticks: () => machine.ticks, clock, random: systemRandom, log };
    const joined: Joined = await join(parts);
    onTestFinished(() => joined.lease[Symbol.dispose]());
    return { ...joined, ...parts, machine, lost };
  }

  it('ends when its lease has passed by a clock that may be set, or by one that stands still while the machine sleeps', async () => {
    const one = await start('one');
    one.clock.step(LEASE_MS - 1);
    expect(one.lease.holds()).toBe(true);
    one.clock.step(1);
    expect(() => one.lease.check()).toThrow('lost its homes');
    expect(one.lost).toHaveLength(1);

    const two = await start('two');
    two.machine.ticks += LEASE_MS;
    expect(two.lease.holds()).toBe(false);
    expect(two.lost).toEqual([expect.stringContaining('Its lease has passed')]);
  });

  it('renews it all the time, and goes on', async () => {
    const one = await start('one');
    for (let quarter = 0; quarter < 8; quarter++) {
      const before = one.own.commits;
      one.machine.ticks += LEASE_MS / 4;
      one.clock.advance(LEASE_MS / 4);
      await until('the lease to be renewed', () => one.own.commits > before);
    }
    expect(one.lost).toEqual([]);
    expect(one.lease.holds()).toBe(true);
  });

  it('is ended by another after it, with its sessions and homes: what it writes then comes to nothing', async () => {
    const relay = await startRelay(await sharedPostgres());
    const one = await start('one', 1_000, relay);
    const two = await start('two');
    const seal = await openSeal(sealPath(data), systemRandom);
    await putAccount({ data, ledger: two.ledger, seal, clock: systemClock }, 'seller', 'key');
    await one.ledger.write([], (rows) => takeHomes(rows, one.incarnation, { only: ['seller'] }));
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: goOn } = Promise.withResolvers<void>();
    // It is stopped in the middle of a write, and holds a lock that the other wants.
    const writing = one.ledger.write(['administration'], async (rows) => {
      await leaveRing(rows, { home: 'seller', topic: 'submit', id: 'late' });
      resolve();
      await mayEnd;
      await readRings(rows);
    });
    const failed = expect(writing).rejects.toThrow();
    await written;
    relay.target = null;
    const lapsed = await until('its lease to pass', async () => (await readNodes(two.ledger.read)).find(({ leftMs }) => leftMs < 0));
    expect(await end(two, lapsed)).toBe(true);
    expect(await end(two, lapsed)).toBe(false);
    expect((await readNodes(two.ledger.read)).map(({ node }) => node)).toEqual(['two']);
    expect(await readTakeovers(two.ledger.read)).toMatchObject([{ node: 'one', by: 'two', homes: 1 }]);
    goOn();
    await failed;
    expect(await readRings(two.ledger.read)).toEqual([]);
    expect(await readFree(two.ledger.read)).toEqual(['seller']);
  });

  /** One of the name of another whose process was killed, and how it gets on. It has seen the lease of that one. */
  async function startAfter(killed: Awaited<ReturnType<typeof start>>) {
    killed.lease[Symbol.dispose]();
    const clock = manualClock();
    const events: string[] = [];
    const log = openLog('info', { write: (line) => void events.push(String(JSON.parse(line).event)) });
    let end: string | undefined;
    const started = start(killed.settings.name, LEASE_MS, database.place, { incarnation: 'of-its-follower', clock, log });
    started.then(
      () => (end = 'it joined'),
      (error: Error) => (end = error.message),
    );
    await until('it to wait', () => events.includes('node.waits'));
    return {
      look(): string | undefined {
        clock.advance(250);
        return end;
      },
    };
  }

  it('joins by the name of one that was killed though its lease was renewed once more, by what was under way', async () => {
    const killed = await start('one', 2_000);
    const { look } = await startAfter(killed);
    await killed.own.write([], (rows) => renewLease(rows, killed.incarnation, 2_000));
    // It does not claim its name anew.
    for (const ledger of [killed.ledger, killed.own]) await ledger.close();
    expect(await until('it to end', look)).toBe('it joined');
  });

  it('is refused by the name of one that renews its lease again and again', async () => {
    const twin = await start('one');
    const { look } = await startAfter(twin);
    const renewed = async (): Promise<string | undefined> => {
      await twin.own.write([], (rows) => renewLease(rows, twin.incarnation, LEASE_MS));
      return look();
    };
    expect(await until('it to end', renewed)).toContain('Node one lives already');
  });

  it('that has lost its homes renames and removes nothing more for its sessions', async () => {
    const nodes = await openNamedNodes(['seller'], obliging);
    const { gateway, clock } = await nodes.start('one');
    const on = { data: nodes.data, ledger: nodes.ledger, seal: await openSeal(sealPath(nodes.data), systemRandom), clock };
    await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [] });
    await addLoginHome(on, 'erp', 'seller', '');
    await gateway.refreshAccounts();
    const outbox = below(nodes.data, 'homes', 'seller', 'outbox');
    for (const name of ['a.xml', 'b.xml', 'c.xml']) writeFileSync(below(outbox, name), '<Invoice/>');
    const client = await connect({ port: gateway.sftp.port, knownHosts: '' });
    onTestFinished(() => void client.end());
    const sftp = await openSftp(client);
    await called((done) => sftp.unlink('outbox/a.xml', done));
    // It was stopped, and wakes when its lease has passed: others have its homes.
    clock.step(NAMED_LEASE_MS);
    await expect(called((done) => sftp.unlink('outbox/b.xml', done))).rejects.toThrow('lost its homes');
    await expect(called((done) => sftp.rename('outbox/c.xml', 'outbox/d.xml', done))).rejects.toThrow('lost its homes');
    expect(readdirSync(outbox).sort()).toEqual(['b.xml', 'c.xml']);
  });

  it('is not ended while its lease holds', async () => {
    const one = await start('one');
    const two = await start('two');
    const [node] = await readNodes(two.ledger.read);
    if (!node) throw new Error('it has not joined');
    expect(await end(two, node)).toBe(false);
    expect(one.lost).toEqual([]);
  });
});
