// What lies still: memory, processor and threads of a daemon at rest, how soon it is ready, how soon a command has answered; from a checkout and
// bundled as the package is, beside OpenSSH's server in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundle, ROOT } from '../package/bundle.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { run } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { untilRests, untilSwept } from './at-rest.ts';
import { median, table } from './figures.ts';
import { addAccounts } from './many-accounts.ts';
import { haveOpenSshServer, startOpenSshServer } from './openssh-server.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { cpuSeconds, memoryMib, ownMib, threadsOf } from './process-cost.ts';
import { timedStart } from './waiting-files.ts';

const CHECKOUT = join(ROOT, 'src/main.ts');
/** Where the program finds ssh2. */
const BUNDLED = join(ROOT, 'node_modules/.cache/bench-bundle');
/** The gateway's are the defaults, which daemons of tests do not have; the log tells when threads rest. */
const CONFIG = { gateway: { settle: '5s', rescan: '10s' }, log: { level: 'debug' } };
/** Nobody answers there: the gateway asks again, seldom. */
const NO_SERVICE = { service: { url: 'http://127.0.0.1:9' } };
const COMMANDS = [['--version'], ['--help'], ['status'], ['login', 'list'], ['find', 'nothing']] as const;

interface Case {
  readonly form: string;
  readonly program: string;
  readonly role: 'all' | 'gateway';
  readonly accounts: number;
}

export async function benchRest({ short, print }: BenchOptions): Promise<void> {
  rmSync(BUNDLED, { recursive: true, force: true });
  await bundle(BUNDLED);
  const forms = [
    { form: 'checkout', program: CHECKOUT },
    { form: 'bundled', program: join(BUNDLED, 'main.mjs') },
  ];
  const [starts, idleMs] = short ? [2, 2_000] : [7, 60_000];
  print(`  at rest over ${idleMs / 1_000} s; memory: proportional set size, and of it heaps and stacks; starts: median of ${starts}`);
  const sizes = short ? [{ role: 'all', accounts: 10 } as const] : ROLES;
  for (const form of forms) for (const size of sizes) await measureCase({ ...form, ...size }, { starts, idleMs, short, print });
  if (haveOpenSshServer()) await measurePeer(print);
}

const ROLES = [
  { role: 'all', accounts: 10 },
  { role: 'all', accounts: 10_000 },
  { role: 'gateway', accounts: 10 },
] as const;

interface Amounts extends BenchOptions {
  readonly starts: number;
  readonly idleMs: number;
}

async function measureCase({ form, program, role, accounts }: Case, { starts, idleMs, short, print }: Amounts): Promise<void> {
  const nodeOptions = ['--import', join(import.meta.dirname, 'heaps.mjs')];
  const alone = role === 'gateway' ? { role, config: { ...CONFIG, ...NO_SERVICE } } : { config: CONFIG };
  const parties = role === 'gateway' ? [] : sellerAndBuyers(1);
  await using daemon = await startDaemon({ accounts: parties, program, nodeOptions, ...alone, ...AS_INSTALLED });
  await daemon.stop();
  await addAccounts(daemon, accounts);
  const ready = await inTurn(starts, async () => {
    const started = await timedStart(daemon);
    await daemon.stop();
    return started;
  });
  await daemon.start();
  if (!short) await rests(daemon, role, accounts);
  const before = cpuSeconds(daemon.pid);
  await pause(idleMs);
  const cpu = (cpuSeconds(daemon.pid) - before) / (idleMs / 1_000);
  const memory = memoryOf(daemon.pid);
  const threads = [...threadsOf(daemon.pid)].map(([name, count]) => `${count} ${name}`).join(', ');
  const heaps = await heapsOf(daemon);
  const commands = await inTurn(COMMANDS.length, (at) => timedCommand(daemon, program, COMMANDS[at] ?? [], starts));
  print(
    table([
      [`${form}, role ${role}, ${accounts} accounts`, `${memory}, CPU ${(cpu * 100).toFixed(3)} % of a core`],
      ['  threads', threads],
      ['  JavaScript heaps, main thread first', heaps],
      ['  ready after', `${milliseconds(ready.map(({ ms }) => ms))}, ${median(ready.map((each) => each.cpuSeconds)).toFixed(2)} s of CPU`],
      ...commands.map((each, at): [string, string] => [`  ${COMMANDS[at]?.join(' ')}`, each]),
    ]),
  );
}

async function rests(daemon: TestDaemon, role: Case['role'], accounts: number): Promise<void> {
  if (role === 'all') await untilSwept(daemon, accounts);
  await untilRests(daemon, role === 'all' ? 2 : 1);
}

async function timedCommand({ configFile }: TestDaemon, program: string, words: readonly string[], turns: number): Promise<string> {
  const needsConfig = !words[0]?.startsWith('--');
  const args = [program, ...words, ...(needsConfig ? ['--config', configFile] : [])];
  return milliseconds(
    await inTurn(turns, async () => {
      const before = performance.now();
      await run(process.execPath, args, undefined, AS_INSTALLED.env);
      return performance.now() - before;
    }),
  );
}

async function heapsOf(daemon: TestDaemon): Promise<string> {
  const seen = () => daemon.facts().filter(({ event }) => event === 'bench.heaps');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  const { threads } = await until('the heaps', () => seen()[before]);
  if (!Array.isArray(threads)) return '';
  return threads.map(({ used, taken }) => `${mib(used)} of ${mib(taken)} MiB`).join(', ');
}

async function measurePeer(print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-sshd-'));
  try {
    const before = performance.now();
    await using server = await startOpenSshServer(folder, '');
    const ms = performance.now() - before;
    print(table([["OpenSSH's server, no sessions", `${memoryOf(server.pid)}, ready after ${ms.toFixed(0)} ms, a host key made`]]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function memoryOf(pid: number): string {
  return `${memoryMib(pid).toFixed(0)} MiB, ${ownMib(pid).toFixed(0)} of it heaps and stacks`;
}

async function inTurn<Result>(turns: number, act: (at: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < turns; at++) results.push(await act(at));
  return results;
}

function milliseconds(values: readonly number[]): string {
  return `${median(values).toFixed(0)} ms (least ${Math.min(...values).toFixed(0)})`;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
