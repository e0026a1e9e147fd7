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
import type { BenchOptions } from './main.ts';
import { makeKey } from './openssh-server.ts';
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

/** Figures of one way of doing one thing, one per round. */
interface Samples {
  readonly speed: number[];
  readonly cpu: number[];
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
  readonly #samples = new Map<string, Samples & { readonly unit: string; readonly per: string }>();
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

  /** Everything but idle sessions, against a fresh server for each part, so that what one leaves to do does not burden the next. */
  async round(name: ServerName): Promise<void> {
    const { large, largeBytes, small, sessions } = this.#amounts;
    const gigabytes = (large * largeBytes) / 1e9;
    const puts = (files: readonly string[], suffix: string, flag = ''): string[] =>
      files.map((file, at) => `put${flag} ${file} ${at}${suffix}`);
    const megabytes = { amount: gigabytes * 1_000, unit: 'MB/s', cpuUnits: gigabytes, per: 's/GB' };
    const files = { amount: small, unit: 'files/s', cpuUnits: small / 1_000, per: 's/1000' };
    const ends = { amount: sessions, unit: '/s', cpuUnits: sessions / 1_000, per: 'ms each' };

    await this.#measure(name, 'large up', megabytes, (server) => this.#batch(server, server.inbox, puts(this.#large, '.xml.part')));
    await this.#measure(name, 'large up, 8 streams', megabytes, (server) =>
      eight(this.#large, (some, stream) => this.#batch(server, server.inbox, puts(some, `-${stream}.xml.part`))),
    );
    await this.#measure(name, 'large down', megabytes, async (server) => {
      await this.#batch(
        server,
        server.outbox,
        this.#large.map((_, at) => `get large-${at}.xml ${join(this.#folder, `got-${at}`)}`),
      );
    });
    await this.#measure(name, 'small', files, (server) => this.#batch(server, server.inbox, puts(this.#small, '.xml.part')));
    await this.#measure(name, 'sessions', ends, async (server) => {
      for (let at = 0; at < sessions; at++) await this.#batch(server, server.inbox, [`put ${this.#small[0]} s-${at}.part`]);
    });
    await this.#measure(name, 'sessions, 8 at once', ends, (server) =>
      eight(Array.from({ length: sessions }), async (some, stream) => {
        for (const at of some.keys()) await this.#batch(server, server.inbox, [`put ${this.#small[0]} s-${stream}-${at}.part`]);
      }),
    );
    if (name === 'sshd')
      await this.#measure(name, 'small, put -f', files, (server) => this.#batch(server, server.inbox, puts(this.#small, '.xml', ' -f')));
    if (name !== 'Dropgate') return;
    await this.#measure(name, 'large up, and processed', megabytes, async (server) => {
      await this.#batch(server, server.inbox, puts(this.#large, '.xml'));
    });
    await this.#measure(name, 'small, and processed meanwhile', files, (server) =>
      this.#batch(server, server.inbox, puts(this.#small, '.xml')),
    );
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
    return [...this.#samples].map(([way, { speed, cpu, unit, per }]) => [
      way,
      `${median(speed)
        .toFixed(unit === '/s' ? 1 : 0)
        .padStart(5)} ${unit}, CPU ${median(cpu).toFixed(2)} ${per}`,
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

  async #measure(
    name: ServerName,
    what: string,
    { amount, unit, cpuUnits, per }: { amount: number; unit: string; cpuUnits: number; per: string },
    act: (server: SftpServer) => Promise<void>,
  ): Promise<void> {
    await using server = await START[name](this.#folder, this.#key);
    if (!server) return;
    if (what === 'large down') {
      for (const [at, file] of this.#large.entries()) writeFileSync(join(server.outboxOnDisk, `large-${at}.xml`), readFileSync(file));
    }
    const before = cpuSeconds(server.pid);
    const startMs = performance.now();
    await act(server);
    const seconds = (performance.now() - startMs) / 1_000;
    const cpu = cpuSeconds(server.pid) - before;
    const way = `${name}, ${what}`;
    const samples = this.#samples.get(way) ?? { speed: [], cpu: [], unit, per };
    this.#samples.set(way, samples);
    samples.speed.push(amount / seconds);
    samples.cpu.push(cpu / cpuUnits);
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
