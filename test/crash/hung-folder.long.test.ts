// The data folder of one node hangs for good, as where its machine cannot reach the file server any more: nodes whose folder answers take its homes over.
// Where the folder of all hangs, they wait for it, and go on.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOST_HOMES } from '#cli/exit-status.ts';
import { buyerOf, type Cluster, sellerOf, startCluster } from '../support/cluster.ts';
import { isAlive, type TestDaemon } from '../support/daemon.ts';
import { hasBindfs, type Mount, mountLate } from '../support/fuse.ts';
import { hasPostgres } from '../support/postgres.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { type Homes, homesOf } from '../support/world/homes.ts';

const PAIRS = 4;
const CACHED_SECONDS = 1;
const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 120_000;

describe.runIf(hasPostgres && hasBindfs())('Nodes on a folder that hangs', { timeout: TIMEOUT_MS }, () => {
  let parent: string;
  let started: AsyncDisposableStack;
  let mounts: Readonly<Record<'one' | 'two', Mount>>;
  let homes: Homes;
  let cluster: Cluster;
  const stopping = new AbortController();
  let starting: Promise<unknown>;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'dropgate-hung-'));
    started = new AsyncDisposableStack();
    const shared = join(parent, 'shared');
    mkdirSync(shared);
    const mounted = async (name: string): Promise<Mount> => started.use(await mountLate(shared, join(parent, name), CACHED_SECONDS));
    mounts = { one: await mounted('one'), two: await mounted('two') };
    homes = homesOf(join(shared, 'data'));
    cluster = started.use(await startCluster({ names: ['one', 'two'], pairs: PAIRS, dataOf: (name) => join(parent, name, 'data') }));
    starting = Promise.all([...cluster.nodes.values()].map(startAgain));
  }, TIMEOUT_MS);
  afterAll(async () => {
    stopping.abort();
    for (const mount of Object.values(mounts)) mount.signal('SIGCONT');
    await starting;
    await started.disposeAsync();
    rmSync(parent, { recursive: true, force: true });
  });

  /** As systemd does. Where other suites have the processors a lease may pass at any time. */
  async function startAgain(node: TestDaemon): Promise<void> {
    for (; !stopping.signal.aborted; await pause(LOOK_EVERY_MS)) if (!isAlive(node)) await node.start();
  }

  /** By the node. */
  async function upload(name: string, prefix: string): Promise<void> {
    const { port, knownHosts } = cluster.node(name);
    for (let pair = 0; pair < PAIRS; pair++)
      await uploadInvoice({ port, knownHosts, login: `erp${pair}` }, `${prefix}-${pair}`, {
        sender: sellerOf(pair),
        receiver: buyerOf(pair),
      });
  }

  /** Each once. */
  async function delivered(prefix: string): Promise<void> {
    for (let pair = 0; pair < PAIRS; pair++) {
      const arrived = (): string[] => homes.files(`buyer${pair}`, 'outbox').filter((file) => file.includes(`_${prefix}-`));
      await until(`${prefix} to be delivered`, () => arrived().length > 0);
      expect(arrived()).toHaveLength(1);
    }
  }

  it('of one of them: another has its homes after the lease, and it ends as its folder answers again, having done nothing', async () => {
    await cluster.settled('one', 'two');
    await upload('two', 'before');
    mounts.two.signal('SIGSTOP');
    await cluster.settled('one');
    await upload('one', 'meanwhile');
    await delivered('before');
    await delivered('meanwhile');
    await endsAsItsFolderAnswers('two');
    await cluster.settled('one', 'two');
  });

  it('of all of them: they end as it answers again, and go on once they are started', async () => {
    await upload('one', 'for-all');
    for (const mount of Object.values(mounts)) mount.signal('SIGSTOP');
    const lapsed = 'select node from dropgate_gateway.processes where lease_until < extract(epoch from clock_timestamp()) * 1000';
    await until('both leases to pass', async () => (await cluster.database.administer(lapsed)).rows.length === 2);
    await Promise.all([endsAsItsFolderAnswers('one'), endsAsItsFolderAnswers('two')]);
    await cluster.settled('one', 'two');
    await delivered('for-all');
  });

  async function endsAsItsFolderAnswers(name: 'one' | 'two'): Promise<void> {
    const node = cluster.node(name);
    const [ended, told] = [node.exits.length, node.facts().length];
    mounts[name].signal('SIGCONT');
    await until(`${name} to end`, () => node.exits.length > ended);
    expect(node.exits[ended]).toBe(LOST_HOMES);
    const events = node.facts().map(({ event }) => event);
    expect(events.slice(told)).toContain('node.lost');
  }
});
