// From an earlier version to this one and back, as docs/operations.md has it: with the same ledgers documents go on where they were, with others
// nothing is touched, and accounts are carried over by a declaration.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buyerOf, sellerOf, startCluster } from '../support/cluster.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { earlierCommits, programOf } from '../support/earlier-program.ts';
import { needed } from '../support/needed.ts';
import { hasPostgres } from '../support/postgres.ts';
import { MAIN } from '../support/program.ts';
import { run } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const commits = earlierCommits();
const hasHistory = needed('earlier versions', commits !== undefined, 'clone with the history (git fetch --unshallow)');
const PATIENCE_MS = 120_000;
/** So many documents are put before each change. */
const AT_ONCE = 20;
const NODES = ['one', 'two'];
const PAIRS = 4;

const folder = mkdtempSync(join(tmpdir(), 'dropgate-upgrade-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is started where this path is named; `to` puts another version in its place. */
function place(name: string): { readonly program: string; readonly to: (program: string) => void } {
  const program = join(folder, name);
  return {
    program,
    to(other) {
      rmSync(program, { force: true });
      symlinkSync(other, program);
    },
  };
}

function put(daemon: TestDaemon, name: string): string[] {
  const ids = Array.from({ length: AT_ONCE }, (_, at) => `${name}-${at}`);
  for (const id of ids) writeFileSync(daemon.home('seller', `inbox/${id}.xml`), invoice({ id }));
  return ids;
}

/** Those that the buyer has, each as often as it has it. */
const delivered = (daemon: TestDaemon, buyer = 'buyer'): string[] =>
  daemon.files(buyer, 'outbox').map((name) => /_Invoice_([^_]+)_/.exec(name)?.[1] ?? name);

const untilDelivered = (daemon: TestDaemon, ids: readonly string[]): Promise<unknown> =>
  until('all to be delivered', () => ids.every((id) => delivered(daemon).includes(id)), PATIENCE_MS);

describe.skipIf(!hasHistory || commits === undefined)('an upgrade', () => {
  const { same = '', other = '' } = commits ?? {};

  it('with the same ledgers goes on where it was, and back again: nothing is lost, and nothing there twice', async () => {
    const version = place('same.ts');
    const earlier = programOf(same, join(folder, 'same'));
    version.to(earlier);
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, program: version.program });
    const ids = put(daemon, 'EARLIER');
    await until('the first to be taken', () => daemon.files('buyer', 'outbox').length > 0, PATIENCE_MS);
    for (const [at, next] of [MAIN, earlier, MAIN].entries()) {
      ids.push(...put(daemon, `CHANGE-${at}`));
      await daemon.stop();
      version.to(next);
      await daemon.start();
    }
    await untilDelivered(daemon, ids);
    expect(delivered(daemon).sort()).toEqual([...ids].sort());
    expect((await daemon.cli(['items', '--state', 'pending', '--state', 'held'])).out).toBe('');
  });

  it.runIf(hasPostgres)(
    'of nodes goes one after the other, an earlier version beside this one: nothing is lost, and nothing twice',
    async () => {
      const earlier = programOf(same, join(folder, 'beside'));
      const versions = new Map(NODES.map((name) => [name, place(`${name}.ts`)]));
      for (const version of versions.values()) version.to(earlier);
      await using cluster = await startCluster({ names: NODES, pairs: PAIRS, programOf: (name) => versions.get(name)?.program ?? '' });
      await cluster.settled(...NODES);
      const [first] = cluster.nodes.values();
      if (!first) throw new RangeError('there is no node');
      const ids: string[][] = Array.from({ length: PAIRS }, () => []);
      const drop = (during: string): void => {
        for (const [at, dropped] of ids.entries()) {
          const id = `${during}-${at}`;
          dropped.push(id);
          writeFileSync(first.home(`seller${at}`, `inbox/${id}.xml`), invoice({ id, sender: sellerOf(at), receiver: buyerOf(at) }));
        }
      };
      drop('BEFORE');
      for (const [name, version] of versions) {
        const node = cluster.node(name);
        drop(`AT-${name}`);
        await node.stop();
        version.to(MAIN);
        drop(`WITHOUT-${name}`);
        await node.start();
        await cluster.settled(...NODES);
        drop(`AFTER-${name}`);
      }
      for (const [at, dropped] of ids.entries()) {
        await until(`all of pair ${at}`, () => delivered(first, `buyer${at}`).length >= dropped.length, PATIENCE_MS);
        expect(delivered(first, `buyer${at}`).sort()).toEqual([...dropped].sort());
      }
    },
  );

  it('with other ledgers is refused, changes nothing, and is done by a declaration', async () => {
    const version = place('other.ts');
    const earlier = programOf(other, join(folder, 'other'));
    version.to(earlier);
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, program: version.program });
    const ids = put(daemon, 'BEFORE');
    await untilDelivered(daemon, ids);
    await daemon.stop();
    version.to(MAIN);
    await expect(daemon.start()).rejects.toThrow(/was made by an earlier version of Dropgate/);

    version.to(earlier);
    await daemon.start();
    const more = put(daemon, 'STILL');
    await untilDelivered(daemon, more);
    const exported = await daemon.cli(['export']);
    expect(exported.status).toBe(0);
    const declared = join(folder, 'declared.yaml');
    writeFileSync(declared, exported.out);
    const moved = join(folder, 'moved.yaml');
    writeFileSync(moved, readFileSync(daemon.configFile, 'utf8').replace(daemon.data, join(folder, 'moved')));
    const applied = await run(process.execPath, [MAIN, 'apply', declared, '--config', moved]);
    expect(applied).toMatchObject({ status: 0 });
    const listed = await run(process.execPath, [MAIN, 'account', 'list', '--config', moved]);
    expect(listed.out).toMatch(/^buyer\tactive.*\nseller\tactive/);
  });
});
