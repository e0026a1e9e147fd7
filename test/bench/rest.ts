// What lies still: memory, processor and threads of a daemon at rest, how soon it is ready, how soon a command has answered, and what takes longer the first
// time; from a checkout and bundled as the package is, in turns, beside OpenSSH's server in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundle, ROOT } from '../package/bundle.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { run } from '../support/sftp-clients.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { untilRests, untilSwept } from './at-rest.ts';
import { table } from './figures.ts';
import { firstTimes, lateInvoice, timed } from './first-times.ts';
import { addAccounts } from './many-accounts.ts';
import { memoryPartsOf } from './memory-parts.ts';
import { haveOpenSshServer, startOpenSshServer } from './openssh-server.ts';
import { addOperator } from './operator-pages.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { memoryMib, ownMib } from './process-cost.ts';
import { firstTable, type Measured, profileTable, type Rest, restTable, startTable } from './rest-tables.ts';
import { profileStart } from './start-profile.ts';
import { HEAPS, heapsOf, watchThreads } from './threads.ts';
import { timedStart } from './waiting-files.ts';

const CHECKOUT = join(ROOT, 'src/main.ts');
/** Where the program finds ssh2. */
const BUNDLED = join(ROOT, 'node_modules/.cache/bench-bundle');
const FORMS = [
  { form: 'checkout', program: CHECKOUT },
  { form: 'bundled', program: join(BUNDLED, 'main.mjs') },
] as const;
/** The gateway's are the defaults, which daemons of tests do not have; the log tells when threads rest. */
const CONFIG = { gateway: { settle: '5s', rescan: '10s' }, log: { level: 'debug' } };
/** Nobody answers there: the gateway asks again, seldom. */
const NO_SERVICE = { service: { url: 'http://127.0.0.1:9' } };
const COMMANDS = ['--version', '--help', 'status', 'login list', 'find nothing'];

const FEW = 10;
const WHOLE = [
  { role: 'all', accounts: FEW },
  { role: 'all', accounts: 10_000 },
  { role: 'gateway', accounts: FEW },
] as const;
const SHORT = WHOLE.slice(0, 1);

type Form = (typeof FORMS)[number];
type Size = (typeof WHOLE)[number];

interface Subject extends Measured {
  readonly program: string;
  readonly size: Size;
  readonly daemon: TestDaemon;
}

export async function benchRest({ short, print }: BenchOptions): Promise<void> {
  rmSync(BUNDLED, { recursive: true, force: true });
  await bundle(BUNDLED);
  const [sizes, starts, restMs] = short ? [SHORT, 2, 2_000] : [WHOLE, 5, 120_000];
  await using daemons = new AsyncDisposableStack();
  const pairs: Subject[][] = [];
  for (const size of sizes) pairs.push(await openPair(size, daemons));
  const subjects = pairs.flat();
  for (const pair of pairs) await inTurns(pair, starts, measureStart);
  for (const subject of subjects) await beginWork(subject, starts);
  if (!short) await Promise.all(subjects.map(untilAtRest));
  print(`  at rest, over ${restMs / 1_000} s, ${subjects.length} daemons at the same time, in MiB; CPU in % of a core, and wakes a second`);
  print(restTable(await Promise.all(subjects.map((subject) => measureRest(subject, restMs)))));

  const whole = subjects.filter(({ size }) => size.role === 'all');
  const late = new Map<string, number>();
  for (const { name, daemon } of whole) late.set(name, await lateInvoice(daemon));
  for (const pair of pairs) await inTurns(pair, starts, measureCommands);
  print(`\n  starts and commands in turns, in ms: median of ${starts}, and the least`);
  print(startTable(subjects));
  print(
    `\n  the first and the tenth of it after a start, in ms, median of ${starts}, and by how much the first takes longer, median and most`,
  );
  print(
    firstTable(
      whole.filter(({ size }) => size.accounts === FEW),
      late,
    ),
  );

  print('\n  what one start, until it is ready, and the stop behind it spend their time on, all threads that run JavaScript');
  const profiles = [];
  for (const { form, program } of FORMS) profiles.push({ name: form, spent: await profileStart(program) });
  print(profileTable(profiles));
  if (haveOpenSshServer()) await measurePeer(print);
}

/** Of each form one of this size, stopped. */
async function openPair(size: Size, daemons: AsyncDisposableStack): Promise<Subject[]> {
  const pair: Subject[] = [];
  for (const form of FORMS) pair.push(await openSubject(form, size, daemons));
  return pair;
}

async function openSubject({ form, program }: Form, size: Size, daemons: AsyncDisposableStack): Promise<Subject> {
  const { role, accounts } = size;
  const alone = role === 'gateway' ? { role, config: { ...CONFIG, ...NO_SERVICE } } : { config: CONFIG };
  const parties = role === 'gateway' ? [] : sellerAndBuyers(1);
  const daemon = daemons.use(await startDaemon({ accounts: parties, program, nodeOptions: HEAPS, ...alone, ...AS_INSTALLED }));
  await addOperator(daemon);
  await daemon.stop();
  await addAccounts(daemon, accounts);
  const commands = new Map(COMMANDS.map((command) => [command, []]));
  return { name: `${form}, ${role}, ${accounts}`, program, size, daemon, starts: [], firsts: [], commands };
}

/** Each is measured in each turn, in alternating order, so that all meet what else happens on the machine. */
async function inTurns(
  subjects: readonly Subject[],
  turns: number,
  measure: (subject: Subject, turn: number) => Promise<void>,
): Promise<void> {
  for (let turn = 0; turn < turns; turn++)
    for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed()) await measure(subject, turn);
}

async function measureStart({ daemon, size, starts, firsts }: Subject, turn: number): Promise<void> {
  starts.push(await timedStart(daemon));
  if (size.role === 'all' && size.accounts === FEW) firsts.push(await firstTimes(daemon, turn));
  await daemon.stop();
}

/** It rests after some work, as one does that is used. */
async function beginWork({ daemon, size }: Subject, turn: number): Promise<void> {
  await daemon.start();
  if (size.role === 'all') await firstTimes(daemon, turn);
}

async function untilAtRest({ daemon, size: { role, accounts } }: Subject): Promise<void> {
  if (role === 'all') await untilSwept(daemon, accounts);
  await untilRests(daemon, role === 'all' ? 2 : 1);
}

async function measureRest({ name, daemon }: Subject, restMs: number): Promise<Rest> {
  const heaps = await heapsOf(daemon);
  const costs = watchThreads(daemon.pid, heaps);
  await pause(restMs);
  return { name, heaps, costs: costs(), memory: memoryPartsOf(daemon.pid) };
}

async function measureCommands({ daemon, program, commands }: Subject): Promise<void> {
  for (const [command, took] of commands) {
    const config = command.startsWith('--') ? [] : ['--config', daemon.configFile];
    const args = [program, ...command.split(' '), ...config];
    took.push(await timed(() => run(process.execPath, args, undefined, AS_INSTALLED.env)));
  }
}

async function measurePeer(print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-sshd-'));
  try {
    const before = performance.now();
    await using server = await startOpenSshServer(folder, '');
    const ms = performance.now() - before;
    const memory = `${memoryMib(server.pid).toFixed(0)} MiB, ${ownMib(server.pid).toFixed(0)} of it heaps and stacks`;
    print(`\n${table([["OpenSSH's server, no sessions", `${memory}, ready after ${ms.toFixed(0)} ms, a host key made`]])}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
