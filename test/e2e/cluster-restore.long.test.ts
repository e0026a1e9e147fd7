// Nodes whose database and data folder are lost, and put back from a backup: the first one finds that, the others go on from there, and nothing of the backup
// is lost or comes twice.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUpByHand, restoreByHand } from '../support/backup-by-hand.ts';
import { buyerOf, type Cluster, sellerOf, startCluster } from '../support/cluster.ts';
import { configure, type TestDaemon } from '../support/daemon.ts';
import { connectedTo, hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const PAIRS = 3;
const PREFIXES = ['BEFORE', 'AFTER', 'NEW', 'LAST'];

interface Way {
  readonly way: string;
  /** By the first node that starts; otherwise the command has looked at everything before. */
  readonly isFound: boolean;
  backup(node: TestDaemon, from: PostgresDatabase): Promise<void>;
  /** Into an empty database, and a folder that is not there. */
  restore(node: TestDaemon, into: PostgresDatabase): Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    way: 'by the commands',
    isFound: true,
    backup: (node) => commanded(node, 'backup', join(node.folder, 'all.backup')),
    restore: (node) => commanded(node, 'restore', join(node.folder, 'all.backup')),
  },
  {
    way: 'by hand, with the rows of nodes that lived',
    isFound: false,
    backup: backUpByHand,
    async restore(node, into) {
      await restoreByHand(node, into);
      await commanded(node, 'recover', '--restored');
    },
  },
];

async function commanded(node: TestDaemon, ...args: readonly string[]): Promise<void> {
  expect(await node.cli(args)).toMatchObject({ status: 0, err: '' });
}

describe.runIf(hasPostgres)('Two nodes', () => {
  it.each(WAYS)('are put back $way', async ({ isFound, backup, restore }) => {
    await using cluster = await startCluster({ names: ['one', 'two'], pairs: PAIRS });
    const [one, two] = [cluster.node('one'), cluster.node('two')];
    await cluster.settled('one', 'two');
    await sentAndTaken(cluster, 'BEFORE');
    await backup(one, cluster.database);
    await sentAndTaken(cluster, 'AFTER');

    for (const node of [one, two]) await node.kill();
    renameSync(one.data, `${one.data}.lost`);
    await using empty = await newPostgresDatabase();
    for (const node of [one, two]) configure(node, connectedTo(empty.place).config);
    await restore(one, empty);
    const before = [one, two].map((node) => node.facts().length);
    for (const node of [one, two]) await node.start();

    // What came after the backup is sent again, and is there; what is new goes its way. By its end all that would come again has come.
    for (const prefix of ['AFTER', 'NEW']) await upload(cluster, prefix);
    await sentAndTaken(cluster, 'LAST');
    const answered = (pair: number) => one.stages(`seller${pair}`).filter((stage) => stage === 'accepted' || stage === 'duplicate').length;
    await until('all receipts', () => pairs(answered).every((count) => count >= PREFIXES.length * cluster.nodes.size));
    for (const ids of pairs((pair) => idsOf(one, pair))) {
      // Of those that came after the backup the ones that were marked as read do not come again.
      const others = ids.filter((id) => !id.startsWith('AFTER'));
      expect(others.sort()).toEqual(['BEFORE', 'LAST', 'NEW'].flatMap((prefix) => [`${prefix}-one`, `${prefix}-two`]));
      expect(new Set(ids).size).toBe(ids.length);
    }
    const told = [one, two].map((node, at) =>
      node
        .facts()
        .slice(before[at])
        .map(({ event }) => event),
    );
    expect(told.map((events) => events.includes('recover.restored'))).toEqual([isFound, false]);
    expect(told.flat()).not.toContain('home.not-moved');
  });
});

function pairs<Each>(of: (pair: number) => Each): Each[] {
  return Array.from({ length: PAIRS }, (_, pair) => of(pair));
}

/** One of each pair by each node. */
async function upload({ nodes }: Cluster, prefix: string): Promise<void> {
  for (const [name, node] of nodes)
    await Promise.all(
      pairs((pair) =>
        uploadInvoice({ ...node, login: `erp${pair}` }, `${prefix}-${name}`, { sender: sellerOf(pair), receiver: buyerOf(pair) }),
      ),
    );
}

async function sentAndTaken(cluster: Cluster, prefix: string): Promise<void> {
  await upload(cluster, prefix);
  const [node] = cluster.nodes.values();
  await until(`${prefix} to come`, () =>
    pairs((pair) => (node ? idsOf(node, pair) : [])).every(
      (ids) => ids.filter((id) => id.startsWith(prefix)).length === cluster.nodes.size,
    ),
  );
}

function idsOf(node: TestDaemon, pair: number): string[] {
  return node.files(`buyer${pair}`, 'outbox').map((name) => name.split('_')[2] ?? '');
}
