// Two nodes, each through a mount of its own of one folder, in which what the other did, or what a program dropped or took away, is seen seconds late, as over NFS. ERPs
// upload at both, a node is killed, the other takes over: every acknowledged document arrives once. In the
// second run the file server does a rename and answers with an error, twice a second.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SFTPWrapper } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { incarnationId } from '#domain/id.ts';
import { forgetEnded, knownIncarnations } from '#gateway/disk/incarnation.ts';
import { systemRandom } from '#runtime/clock.ts';
import { replaceDurable } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { isWhole } from '../support/amounts.ts';
import { buyerOf, type Cluster, sellerOf, startCluster } from '../support/cluster.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { openFaults, type Rule } from '../support/faults/shim.ts';
import { hasBindfs, mountLate } from '../support/fuse.ts';
import { hasPostgres } from '../support/postgres.ts';
import { called, connect, whileConnected } from '../support/sftp-clients.ts';
import { defectiveRename } from '../support/stand-in/defective.ts';
import { until } from '../support/until.ts';
import { type Homes, homesOf } from '../support/world/homes.ts';

const PAIRS = 4;
const CACHED_SECONDS = 3;
const UPLOADS = 8;
const LOOK_EVERY_MS = 100;
const FAULT_EVERY_MS = 500;
const FAILURES = ['ENOENT', 'ESTALE', 'EIO'] as const;
const TIMEOUT_MS = 600_000;
const SETTLED_WITHIN_MS = 180_000;

describe.runIf(hasPostgres && hasBindfs())('Nodes that see each other late', () => {
  // The short form has the harder one.
  if (isWhole) it('lose nothing, and publish nothing twice', { timeout: TIMEOUT_MS }, () => life());

  it('lose nothing where renames are done and answered with errors, and publish nothing twice', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const rules = FAILURES.map((failure): Rule[] => [{ action: 'fail-after', kinds: ['rename'], times: 1, failure }]);
    using faults = openFaults();
    let at = 0;
    const failing = setInterval(() => faults.set(rules[at++ % rules.length] ?? []), FAULT_EVERY_MS);
    try {
      await life(faults.env, () => {
        clearInterval(failing);
        faults.set([]);
      });
    } finally {
      clearInterval(failing);
    }
  });

  it('tidy what an ended one has left, though another tidies it at the same moment', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-shared-'));
    try {
      await using mounts = await mountTwice(parent);
      const ended = incarnationId(systemRandom);
      mkdirSync(join(mounts.one, 'incarnations'));
      writeFileSync(join(mounts.one, 'incarnations', ended), '');
      const living = async (): Promise<ReadonlySet<string>> => {
        rmSync(join(mounts.shared, 'incarnations', ended));
        return new Set();
      };
      await forgetEnded({ data: mounts.one, living });
      expect([...knownIncarnations(mounts.shared)]).toEqual([]);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });

  it('replace a small file though renames are done and answered with errors', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-shared-'));
    using faults = openFaults();
    try {
      await using mounts = await mountTwice(parent, faults.env);
      faults.set([{ action: 'fail-after', kinds: ['rename'], times: 4, failure: 'ENOENT' }]);
      await replaceDurable(join(mounts.one, 'file'), Buffer.from('new'));
      expect(readFileSync(join(mounts.shared, 'file'), 'utf8')).toBe('new');
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });

  /** By a node that still sees the old name, and to which the answer is lost. */
  async function renamedLate(rename: typeof renameOurs): Promise<void> {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-shared-'));
    using faults = openFaults();
    try {
      await using mounts = await mountTwice(parent, faults.env);
      const [from, to] = [join(mounts.one, 'from'), join(mounts.one, 'to')];
      writeFileSync(from, '');
      faults.set([{ action: 'fail-after', kinds: ['rename'], times: 1, failure: 'EIO' }]);
      rename(from, to);
      expect(readdirSync(mounts.shared)).toEqual(['to']);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  }

  it('take a rename for done that was answered with an error, though they still see the old name', () => renamedLate(renameOurs));

  it('a seeded defect is found: what is seen of the old name is believed', async () => {
    const rename = await defectiveRename({ file: 'files/rename.ts', from: 'look(from) && isListed(from)', to: 'look(from)' });
    await expect(renamedLate(rename)).rejects.toThrow('EIO');
  });

  it('for so long: what the mounts are for', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-shared-'));
    try {
      await using mounts = await mountTwice(parent);
      const [here, there] = [join(mounts.one, 'file'), join(mounts.two, 'file')];
      expect(existsSync(there)).toBe(false);
      writeFileSync(here, '');
      expect(existsSync(there)).toBe(false);
      await until('it to be seen', () => existsSync(there));
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });
});

/** `server`: the environment of what serves the folder, which is `well` again in the end. */
async function life(server: Readonly<Record<string, string>> = {}, well: () => void = () => undefined): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-shared-'));
  try {
    await using started = new AsyncDisposableStack();
    const { shared } = started.use(await mountTwice(parent, server));
    const cluster = started.use(await startCluster({ names: ['one', 'two'], pairs: PAIRS, dataOf: (name) => join(parent, name, 'data') }));
    const erps = started.use(new Erps(cluster, homesOf(join(shared, 'data')), join(parent, 'taken')));
    await cluster.settled('one', 'two');
    await upAndDown(cluster, erps);
    await erps.settled();
    well();
    for (const node of cluster.nodes.values()) expect(await node.stop()).toBe(0);
    for (const node of cluster.nodes.values()) await node.start();
    await cluster.settled('one', 'two');
    await erps.settled();
    const problems = [...cluster.nodes.values()].flatMap((node) => node.facts().filter(({ level }) => level === 'error'));
    console.log(
      `nodes that see late${Object.keys(server).length > 0 ? ', renames answered with errors' : ''}: ${erps.sent.size} documents acknowledged in ${erps.tries} tries, 0 lost, 0 twice, ${problems.length} errors logged`,
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Mounts a new folder below this one as `one` and as `two`. */
async function mountTwice(
  parent: string,
  server: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & Readonly<Record<'shared' | 'one' | 'two', string>>> {
  await using mounted = new AsyncDisposableStack();
  const [shared, one, two] = [join(parent, 'shared'), join(parent, 'one'), join(parent, 'two')];
  mkdirSync(shared);
  for (const at of [one, two]) mounted.use(await mountLate(shared, at, CACHED_SECONDS, server));
  const kept = mounted.move();
  return { shared, one, two, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function upAndDown(cluster: Cluster, erps: Erps): Promise<void> {
  const [one, two] = [cluster.node('one'), cluster.node('two')];
  const uploading = erps.upload('killed', UPLOADS, [one, two]);
  await until('some to be there', () => erps.arrived.size >= PAIRS);
  await one.kill();
  await cluster.settled('two');
  await uploading;
  await one.start();
  await cluster.settled('one', 'two');
  await erps.upload('again', 2, [two, one]);
  await erps.closeHereAndRenameThere('renamed', one, two);
  erps.drop('dropped');
}

/** What an ERP of each pair sends and gets; it goes on whatever dies. */
class Erps implements AsyncDisposable {
  /** Acknowledged, or dropped. */
  readonly sent = new Set<string>();
  /** How often each has been taken out of an outbox. */
  readonly arrived = new Map<string, number>();
  tries = 0;
  readonly #cluster: Cluster;
  /** As the file server has them. */
  readonly #homes: Homes;
  readonly #taken: string;
  readonly #stopping = new AbortController();
  readonly #taking: Promise<void>;

  constructor(cluster: Cluster, homes: Homes, taken: string) {
    this.#cluster = cluster;
    this.#homes = homes;
    this.#taken = taken;
    mkdirSync(taken);
    this.#taking = this.#takeAway();
  }

  /** Each pair one document after the other, at any node, and again until one has acknowledged it. */
  async upload(prefix: string, count: number, doors: readonly TestDaemon[]): Promise<void> {
    await Promise.all(
      pairs().map(async (pair) => {
        for (let number = 0; number < count; number++) {
          const id = `${prefix}-${pair}-${number}`;
          await this.#untilDone(pair, doors, (sftp) => called<void>((done) => sftp.writeFile(`inbox/${id}.xml`, document(pair, id), done)));
          this.sent.add(id);
        }
      }),
    );
  }

  /** Where the rename fails the file is uploaded anew. */
  async closeHereAndRenameThere(prefix: string, here: TestDaemon, there: TestDaemon): Promise<void> {
    for (const pair of pairs()) {
      const id = `${prefix}-${pair}`;
      const [part, file] = [`inbox/${id}.part`, `inbox/${id}.xml`];
      await this.#untilDone(pair, [there], async (sftp) => {
        await this.#untilDone(pair, [here], (other) => called<void>((done) => other.writeFile(part, document(pair, id), done)));
        await called<void>((done) => sftp.rename(part, file, done));
      });
      this.sent.add(id);
    }
  }

  /** A program beside the file server. */
  drop(prefix: string): void {
    for (const pair of pairs()) {
      const id = `${prefix}-${pair}`;
      const path = this.#homes.home(`seller${pair}`, 'inbox', `${id}.xml`);
      writeFileSync(`${path}.tmp`, document(pair, id));
      renameSync(`${path}.tmp`, path);
      this.sent.add(id);
    }
  }

  /** Until everything has arrived and nothing is left; and nothing has twice, in any place. */
  async settled(): Promise<void> {
    const receipts = (stage: string): string[] =>
      pairs().flatMap((pair) => this.#homes.files(`seller${pair}`, 'receipts').filter((name) => name.endsWith(`.${stage}.json`)));
    const done = (name: string): string => name.split('.')[0] ?? '';
    await until(
      'all to arrive',
      () => pause(LOOK_EVERY_MS).then(() => [...this.sent].every((id) => this.arrived.has(id))),
      SETTLED_WITHIN_MS,
    );
    const isReported = (): boolean => new Set(receipts('delivered').map(done)).size >= this.sent.size;
    await until('all receipts', () => pause(LOOK_EVERY_MS).then(isReported), SETTLED_WITHIN_MS);
    const isEmpty = (): boolean => this.#committed().length === 0;
    await until('the spool to be empty', () => pause(LOOK_EVERY_MS).then(isEmpty), SETTLED_WITHIN_MS);
    const all = [...this.sent].sort();
    expect([...this.arrived].filter(([id, times]) => times !== 1 || !this.sent.has(id))).toEqual([]);
    expect([...new Set(receipts('accepted').map(done))].sort()).toEqual(all);
    expect(receipts('delivered').map(done).sort()).toEqual(all);
    for (const direction of ['outgoing', 'incoming']) expect((await this.#messages(direction)).sort()).toEqual(all);
  }

  /** What nobody had acknowledged may lie in the spool for a resume. */
  #committed(): string[] {
    return this.#homes.spooled().filter((name) => /^[0-9A-Z]{26}~(?![pb]~)/.test(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#taking;
  }

  async #untilDone(pair: number, doors: readonly TestDaemon[], work: (sftp: SFTPWrapper) => Promise<unknown>): Promise<void> {
    for (let at = pair; !this.#stopping.signal.aborted; at++) {
      const door = doors[at % doors.length];
      this.tries++;
      try {
        const client = await connect({ port: door?.port ?? 0, knownHosts: '', login: `erp${pair}` });
        try {
          await whileConnected(client, work);
          return;
        } finally {
          client.destroy();
        }
      } catch {
        await pause(LOOK_EVERY_MS);
      }
    }
  }

  /** Beside the file server: what it took must not come back. */
  async #takeAway(): Promise<void> {
    for (; !this.#stopping.signal.aborted; await pause(LOOK_EVERY_MS)) {
      for (const home of pairs().map((pair) => `buyer${pair}`)) {
        for (const name of this.#homes.files(home, 'outbox')) {
          const id = name.split('_')[2] ?? name;
          const times = (this.arrived.get(id) ?? 0) + 1;
          renameSync(this.#homes.home(home, 'outbox', name), join(this.#taken, `${times}-${name}`));
          this.arrived.set(id, times);
        }
      }
    }
  }

  async #messages(direction: string): Promise<string[]> {
    const { core } = this.#cluster;
    const of = direction === 'outgoing' ? 'seller' : 'buyer';
    const each = pairs().map(async (pair) => {
      const account = `${of}${pair}`;
      const url = `${core.coreUrl}/transaction/${account}/invoices/${direction}?limit=100&includeRead=true`;
      const response = await fetch(url, { headers: { authorization: `ApiKey ${core.apiKey(account)}`, accept: 'application/json' } });
      return listOf<{ Invoice: { ID: { _: string } } }>(await response.json()).map(({ Invoice }) => Invoice.ID._);
    });
    return (await Promise.all(each)).flat();
  }
}

function pairs(): number[] {
  return Array.from({ length: PAIRS }, (_, pair) => pair);
}

function document(pair: number, id: string): Buffer {
  return Buffer.from(invoice({ id, sender: sellerOf(pair), receiver: buyerOf(pair) }));
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
function listOf<Item>(body: any): Item[] {
  return body.data;
}
