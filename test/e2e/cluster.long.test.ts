// Several gateways as nodes on one database and one data folder: each home has one owner at a time, whatever becomes of the nodes.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buyerOf, type Cluster, LEASE_MS, sellerOf, startCluster } from '../support/cluster.ts';
import { isAlive, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { hasPostgres } from '../support/postgres.ts';
import { run, uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { goneOnceWoken } from '../support/woken.ts';

const PAIRS = 4;
/** A takeover, from when the node has ended. */
const TAKEN_OVER_MS = LEASE_MS + 10_000;

describe.runIf(hasPostgres)('Two nodes', () => {
  let cluster: Cluster;
  let one: TestDaemon;
  let two: TestDaemon;
  /** By pair: the invoices that were acknowledged. */
  let sent: Map<number, string[]>;

  beforeAll(async () => {
    cluster = await startCluster({ names: ['one', 'two'], pairs: PAIRS });
    [one, two] = [cluster.node('one'), cluster.node('two')];
    sent = new Map();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
  beforeEach(() => cluster.settled('one', 'two'));

  /** As an ERP does: to any node, and again until one has acknowledged it. */
  async function upload(pair: number, id: string, doors: readonly TestDaemon[]): Promise<void> {
    for (let at = 0; ; at++) {
      const { port = 0, knownHosts = '' } = doors[at % doors.length] ?? {};
      try {
        await uploadInvoice({ port, knownHosts, login: `erp${pair}` }, id, { sender: sellerOf(pair), receiver: buyerOf(pair) });
        break;
      } catch (error) {
        if (doors.length === 1 || at > 100) throw error;
      }
    }
    sent.set(pair, [...(sent.get(pair) ?? []), id]);
  }
  const uploads = (prefix: string, count: number, doors: readonly TestDaemon[]): Promise<unknown> =>
    Promise.all(
      Array.from({ length: PAIRS }, async (_, pair) => {
        for (let at = 0; at < count; at++) await upload(pair, `${prefix}-${pair}-${at}`, doors);
      }),
    );

  /** Everything that was acknowledged is in its outbox, once. What a killed node had taken without saying so is looked at a minute later. */
  async function delivered(): Promise<void> {
    const idsOf = (pair: number) => one.files(`buyer${pair}`, 'outbox').map((name) => name.split('_')[2] ?? '');
    await until('all to be delivered', () => [...sent].every(([pair, ids]) => ids.every((id) => idsOf(pair).includes(id))));
    for (const [pair, ids] of sent) expect(idsOf(pair).sort()).toEqual([...new Set(ids)].sort());
  }

  /** Those of the database, by the numbers of its processes. */
  async function sessionsOfNodes(): Promise<readonly number[]> {
    const joined = [one, two].map((node) => node.facts().findLast(({ event }) => event === 'node.joined')?.incarnation);
    const names = joined.map((incarnation) => `'dropgate ${incarnation}'`);
    const asked = `select pid from pg_stat_activity where application_name in (${names.join(', ')}) order by pid`;
    const { rows } = await cluster.database.administer(asked);
    expect(rows.length).toBeGreaterThan(1);
    return rows.map(({ pid }) => pid);
  }

  it('take files for all homes, and each works on its own', async () => {
    await uploads('first', 3, [one]);
    await uploads('second', 3, [two]);
    await delivered();
    const [ofOne, ofTwo] = [await cluster.homesOf('one'), await cluster.homesOf('two')];
    expect(ofOne.length + ofTwo.length).toBe(2 * PAIRS);
    expect(ofOne.filter((home) => ofTwo.includes(home))).toEqual([]);
    const unrung = one.facts().find(({ event }) => event === 'node.not-rung');
    expect(unrung).toMatchObject({ sentence: expect.stringContaining('Name a Redis in queue.url') });
    // Beside itself it has the name, and the folder, that it should have.
    expect(await one.cli(['check-config'])).toMatchObject({ status: 0, out: expect.stringMatching(/\n# OK\n?$/) });
  });

  it('refuse one that has the name of a living one, has another data folder, or no name', async () => {
    const refused = (settings: Parameters<typeof startDaemon>[0]): Promise<string> =>
      startDaemon(settings).then(
        async (daemon) => {
          await daemon[Symbol.asyncDispose]();
          return 'it started';
        },
        (error: Error) => error.message,
      );
    const elsewhere = join(one.folder, 'elsewhere');
    cpSync(join(one.data, 'keys'), join(elsewhere, 'keys'), { recursive: true });
    for (const name of ['one', 'three'])
      expect(await refused(cluster.settingsOf(name, elsewhere))).toMatch(/Node one .* works on another data folder than .*elsewhere/);
    const sessions = await sessionsOfNodes();
    const copy = join(one.folder, 'copy');
    expect(await run('cp', ['-a', one.data, copy])).toMatchObject({ status: 0 });
    expect(await refused(cluster.settingsOf('one', copy))).toContain('Node one lives already');
    for (const data of [one.data, copy]) {
      expect(await refused({ ...cluster.settingsOf('three'), node: { name: null, data } })).toContain(
        'Nodes work on this database (one, two): give this one a name, too (node)',
      );
    }
    expect(await sessionsOfNodes()).toEqual(expect.arrayContaining([...sessions]));
    expect(isAlive(one) && isAlive(two)).toBe(true);
    await uploads('refused', 1, [one]);
    await delivered();
  });

  it('go on where one is killed while ERPs upload: the other has its homes, and nothing is lost or comes twice', async () => {
    const uploading = uploads('killed', 12, [one, two]);
    await until('some to be there', () => one.files('buyer0', 'outbox').some((name) => name.includes('killed')));
    await one.kill();
    const killedAt = performance.now();
    await cluster.settled('two');
    expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_MS);
    await uploading;
    await delivered();
    await one.start();
    await cluster.settled('one', 'two');
    expect(two.facts().find(({ event }) => event === 'node.taken-over')).toMatchObject({ node: 'one' });
  });

  it('go on where one is stopped for longer than its lease: woken, it is gone at once and has done nothing', async () => {
    const uploading = uploads('stopped', 6, [one, two]);
    await until('some to be there', () => one.files('buyer0', 'outbox').some((name) => name.includes('stopped')));
    // What hangs at the stopped one comes to an end with it.
    two.signal('SIGSTOP');
    await cluster.settled('one');
    const before = two.facts().length;
    const { goneMs, withinMs } = await goneOnceWoken(two.signal, () => !isAlive(two));
    expect(goneMs).toBeLessThan(withinMs);
    expect(
      two
        .facts()
        .slice(before)
        .map(({ event }) => event),
    ).toContain('node.lost');
    await uploading;
    await delivered();
    await two.start();
  });

  it('drain: SIGTERM gives the homes to the other before it ends, and it takes its own again', async () => {
    const uploading = uploads('drained', 6, [two]);
    expect(await one.stop()).toBe(0);
    const endedAt = performance.now();
    await cluster.settled('two');
    expect(performance.now() - endedAt).toBeLessThan(LEASE_MS);
    expect(one.facts().filter(({ event }) => event === 'node.left')).toHaveLength(1);
    await uploading;
    await delivered();
    await one.start();
    await cluster.settled('one', 'two');
  });

  it('are shown, with what they have taken over', async () => {
    const shown = (await two.cli(['nodes', '--json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(shown).toEqual([
      expect.objectContaining({ node: 'two', state: 'lives', homes: (await cluster.homesOf('two')).length }),
      expect.objectContaining({ node: 'one', state: 'lives', homes: (await cluster.homesOf('one')).length }),
    ]);
    const takeovers = (await one.cli(['nodes', '--takeovers', '--json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(takeovers.map(({ node, by }) => `${node} by ${by}`)).toEqual(['two by one', 'one by two']);
    expect((await one.cli(['nodes'])).out).toContain('lives');
  });
});
