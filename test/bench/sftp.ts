// SFTP against OpenSSH's sshd and rclone, in turns on the same machine, with the same OpenSSH client and its own choice of algorithms:
// large files up and down, many small ones, sessions, and memory of idle sessions.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invoiceOfSize } from '../support/documents.ts';
import { have, run } from '../support/sftp-clients.ts';
import { median, table } from './figures.ts';
import { makeKey } from './openssh-server.ts';
import type { BenchOptions } from './options.ts';
import { participantOfBuyer } from './parties.ts';
import { cpuSeconds, memoryMib } from './process-cost.ts';
import { SERVERS, type ServerName, type SftpServer, START } from './sftp-servers.ts';

const [LARGE_BYTES, SMALL_BYTES] = [20_000_000, 10_000];

interface Amounts {
  readonly rounds: number;
  readonly large: number;
  readonly largeBytes: number;
  readonly small: number;
  readonly sessions: number;
  readonly idle: number;
}

/** What is done so much of, and what its speed and CPU are told in. */
interface Unit {
  readonly amount: number;
  readonly name: string;
  readonly cpuAmount: number;
  readonly cpuName: string;
}

/** Figures of one way of doing one thing, one per round. */
interface Samples {
  readonly speed: number[];
  readonly cpu: number[];
  readonly unit: Unit;
}

/** What is compared with what, and what the project wants. */
interface Comparison {
  readonly title: string;
  readonly ours: string;
  readonly theirs: string;
  readonly speedAtLeast: number;
  readonly cpuAtMost?: number;
}

const COMPARISONS: readonly Comparison[] = [
  { title: 'large files up', ours: 'Dropgate, large up', theirs: 'sshd, large up', speedAtLeast: 1.3, cpuAtMost: 0.7 },
  { title: 'large files down', ours: 'Dropgate, large down', theirs: 'sshd, large down', speedAtLeast: 1.5, cpuAtMost: 0.7 },
  { title: 'large files up, 8 streams', ours: 'Dropgate, large up, 8 streams', theirs: 'sshd, large up, 8 streams', speedAtLeast: 1 },
  { title: 'small files', ours: 'Dropgate, small', theirs: 'sshd, small', speedAtLeast: 0.9 },
  { title: 'small files, both fsynced', ours: 'Dropgate, small', theirs: 'sshd, small, put -f', speedAtLeast: 2 },
  { title: 'sessions, one at a time', ours: 'Dropgate, sessions', theirs: 'sshd, sessions', speedAtLeast: 5, cpuAtMost: 0.2 },
  {
    title: 'sessions, 8 at once',
    ours: 'Dropgate, sessions, 8 at once',
    theirs: 'sshd, sessions, 8 at once',
    speedAtLeast: 5,
    cpuAtMost: 0.2,
  },
];

export async function benchSftp({ short, print }: BenchOptions): Promise<void> {
  if (!have('sftp')) return print('  skipped: it needs the OpenSSH client (openssh-client)');
  const amounts: Amounts = short
    ? { rounds: 1, large: 8, largeBytes: 2_000_000, small: 100, sessions: 16, idle: 20 }
    : { rounds: 3, large: 25, largeBytes: LARGE_BYTES, small: 2_000, sessions: 64, idle: 1_000 };
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bench-'));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(folder, { recursive: true }));
  const bench = new Bench(folder, await makeKey(join(folder, 'key')), amounts);
  print(
    `  ${amounts.rounds} rounds in turns, medians; ${amounts.large} files of ${amounts.largeBytes} bytes, ${amounts.small} of ${SMALL_BYTES}, ${amounts.sessions} sessions`,
  );
  for (let round = 0; round < amounts.rounds; round++) {
    for (const name of SERVERS) await bench.round(name);
  }
  const idle = await bench.idle();
  print(table(bench.rows()));
  print(table(idle.map(({ name, mib }) => [`${name}, ${amounts.idle} idle sessions`, `${mib.toFixed(0)} MiB`])));
  print('');
  print(table(bench.ratios()));
  const [ours, sshd] = [idle.find(({ name }) => name === 'Dropgate'), idle.find(({ name }) => name === 'sshd')];
  if (ours && sshd)
    print(table([['memory of idle sessions to sshd', `${(ours.mib / sshd.mib).toFixed(3)} (wanted ≤ ${(1 / 15).toFixed(3)})`]]));
}

class Bench {
  readonly #folder: string;
  readonly #key: string;
  readonly #amounts: Amounts;
  readonly #samples = new Map<string, Samples>();
  readonly #large: readonly string[];
  readonly #small: readonly string[];

  constructor(folder: string, key: string, amounts: Amounts) {
    this.#folder = folder;
    this.#key = key;
    this.#amounts = amounts;
    const source = (kind: string, bytes: number) => (_: unknown, at: number) => {
      const path = join(folder, `${kind}-${at}.xml`);
      writeFileSync(path, invoiceOfSize(bytes, { id: `${kind}-${at}`, receiver: participantOfBuyer(0) }));
      return path;
    };
    this.#large = Array.from({ length: amounts.large }, source('large', amounts.largeBytes));
    this.#small = Array.from({ length: amounts.small }, source('small', SMALL_BYTES));
  }

  /** Everything but idle sessions. What is put has a temporary name, so that nothing is processed beside it; last, what happens when it is. */
  async round(name: ServerName): Promise<void> {
    const { large, largeBytes, small, sessions } = this.#amounts;
    const gigabytes = (large * largeBytes) / 1e9;
    const megabytes: Unit = { amount: gigabytes * 1_000, name: 'MB/s', cpuAmount: gigabytes, cpuName: 's/GB' };
    const files: Unit = { amount: small, name: 'files/s', cpuAmount: small / 1_000, cpuName: 'ms each' };
    const ends: Unit = { amount: sessions, name: '/s', cpuAmount: sessions / 1_000, cpuName: 'ms each' };
    const put = (file: string, to: string, flag = ''): string => `put${flag} ${file} ${to}`;
    const numbered = (some: readonly string[], as: (at: number) => string, flag?: string): string[] =>
      some.map((file, at) => put(file, as(at), flag));

    await using server = await START[name](this.#folder, this.#key);
    if (!server) return;
    await this.#warm(server);
    const { inbox, outbox } = server;
    const measure = (what: string, unit: Unit, act: () => Promise<void>): Promise<void> =>
      this.#measure(server, `${name}, ${what}`, unit, act);

    await measure('large up', megabytes, () =>
      this.#batch(
        server,
        inbox,
        numbered(this.#large, (at) => `up-${at}.part`),
      ),
    );
    await measure('large up, 8 streams', megabytes, () =>
      eight(this.#large, (some, stream) =>
        this.#batch(
          server,
          inbox,
          numbered(some, (at) => `up-${stream}-${at}.part`),
        ),
      ),
    );
    const gets = this.#large.map((_, at) => `get large-${at}.xml ${join(this.#folder, `got-${at}`)}`);
    for (const [at, file] of this.#large.entries()) writeFileSync(join(server.outboxOnDisk, `large-${at}.xml`), readFileSync(file));
    await measure('large down', megabytes, () => this.#batch(server, outbox, gets));
    await measure('small', files, () =>
      this.#batch(
        server,
        inbox,
        numbered(this.#small, (at) => `small-${at}.part`),
      ),
    );
    if (name === 'sshd') {
      await measure('small, put -f', files, () =>
        this.#batch(
          server,
          inbox,
          numbered(this.#small, (at) => `synced-${at}.part`, ' -f'),
        ),
      );
    }
    const visit = (as: string): Promise<void> => this.#batch(server, inbox, [put(this.#small[0] ?? '', `${as}.part`)]);
    await measure('sessions', ends, async () => {
      for (let at = 0; at < sessions; at++) await visit(`visit-${at}`);
    });
    await measure('sessions, 8 at once', ends, () =>
      eight(Array.from({ length: sessions }), async (some, stream) => {
        for (const at of some.keys()) await visit(`visit-${stream}-${at}`);
      }),
    );
    if (name !== 'Dropgate') return;
    await measure('small, and processed meanwhile', files, () =>
      this.#batch(
        server,
        inbox,
        numbered(this.#small, (at) => `small-${at}.xml`),
      ),
    );
    await using other = await START[name](this.#folder, this.#key);
    if (!other) return;
    await this.#warm(other);
    const way = `${name}, large up, and processed meanwhile`;
    await this.#measure(other, way, megabytes, () =>
      this.#batch(
        other,
        inbox,
        numbered(this.#large, (at) => `up-${at}.xml`),
      ),
    );
  }

  /** A server that runs for months is not measured in its first second. */
  async #warm(server: SftpServer): Promise<void> {
    const [large = '', small = ''] = [this.#large[0], this.#small[0]];
    for (const stream of [1, 2, 3]) {
      await eight(Array.from({ length: 8 }), async (_, lane) => {
        const puts = Array.from({ length: 10 }, (_each, at) => `put ${small} warm-${stream}-${lane}-${at}.part`);
        await this.#batch(server, server.inbox, [...puts, ...(lane < 2 ? [`put ${large} warm-${stream}-${lane}.part`] : [])]);
      });
    }
  }

  async idle(): Promise<{ name: ServerName; mib: number }[]> {
    const found: { name: ServerName; mib: number }[] = [];
    for (const name of SERVERS) {
      await using server = await START[name](this.#folder, this.#key);
      if (!server) continue;
      const before = memoryMib(server.pid);
      const clients = fork(join(import.meta.dirname, 'idle-sessions.ts'), [
        String(server.port),
        server.user,
        this.#key,
        String(this.#amounts.idle),
      ]);
      await once(clients, 'message');
      found.push({ name, mib: memoryMib(server.pid) - before });
      clients.kill();
      await once(clients, 'exit');
    }
    return found;
  }

  rows(): [string, string][] {
    return [...this.#samples].map(([way, { speed, cpu, unit }]) => [
      way,
      `${median(speed)
        .toFixed(unit.name === '/s' ? 1 : 0)
        .padStart(5)} ${unit.name}, CPU ${median(cpu).toFixed(2)} ${unit.cpuName}`,
    ]);
  }

  ratios(): [string, string][] {
    return COMPARISONS.flatMap(({ title, ours, theirs, speedAtLeast, cpuAtMost }): [string, string][] => {
      const [a, b] = [this.#samples.get(ours), this.#samples.get(theirs)];
      if (!a || !b) return [];
      const speed = `${(median(a.speed) / median(b.speed)).toFixed(2)} × (wanted ≥ ${speedAtLeast})`;
      const cpu = `CPU ${(median(a.cpu) / median(b.cpu)).toFixed(2)} ×${cpuAtMost ? ` (wanted ≤ ${cpuAtMost})` : ''}`;
      return [[`${title}, to sshd`, `${speed}, ${cpu}`]];
    });
  }

  async #measure({ pid }: SftpServer, way: string, unit: Unit, act: () => Promise<void>): Promise<void> {
    const before = cpuSeconds(pid);
    const startMs = performance.now();
    await act();
    const seconds = (performance.now() - startMs) / 1_000;
    const samples = this.#samples.get(way) ?? { speed: [], cpu: [], unit };
    this.#samples.set(way, samples);
    samples.speed.push(unit.amount / seconds);
    samples.cpu.push((cpuSeconds(pid) - before) / unit.cpuAmount);
  }

  /** One run of OpenSSH's sftp. */
  async #batch({ port, user, knownHosts }: SftpServer, folder: string, commands: readonly string[]): Promise<void> {
    const options = [
      ['UserKnownHostsFile', knownHosts],
      ['IdentityFile', this.#key],
      ['IdentitiesOnly', 'yes'],
    ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    const { status, err } = await run(
      'sftp',
      [...options, '-q', '-b', '-', '-P', String(port), `${user}@127.0.0.1`],
      `cd ${folder}\n${commands.join('\n')}\n`,
    );
    if (status !== 0) throw new Error(`sftp failed: ${err}`);
  }
}

/** Shares the work out among eight clients at once. */
async function eight<Item>(all: readonly Item[], act: (some: readonly Item[], stream: number) => Promise<void>): Promise<void> {
  const streams = Array.from({ length: 8 }, (_, stream) => all.filter((_each, at) => at % 8 === stream));
  await Promise.all(streams.map(act));
}
