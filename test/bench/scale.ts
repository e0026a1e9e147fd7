// What grows: idle accounts (CPU, requests, memory), and files that wait when the daemon starts, with its ledger and without.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { type Fact, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { countStartedFeeds } from '../support/world/ledger-rows.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { table } from './figures.ts';
import { addAccounts } from './many-accounts.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { cpuSeconds, memoryMib } from './process-cost.ts';
import { measureLostLedger, measureStart, type Started, timedStart } from './waiting-files.ts';

const FAMILIES = 8;
const WITHIN_MS = 900_000;
/** Seldom, so that looking costs nothing beside what is looked at. */
const LOOK_EVERY_MS = 2_000;
/** The gateway's are the defaults, which daemons of tests do not have; the log tells when a thread has given back what its start took. */
const CONFIG = {
  core: { listen: '127.0.0.1:0', requests: 10_000_000 },
  gateway: { settle: '5s', rescan: '10s' },
  log: { level: 'debug' },
};

export async function benchScale({ short, print }: BenchOptions): Promise<void> {
  const [accounts, waiting, idleMs] = short ? [[10, 100], [300], 2_000] : [[10, 1_000, 10_000], [10_000, 100_000], 60_000];
  print(
    `  idle accounts with a home each, over ${idleMs / 1_000} s, once they have been swept and the threads rest; all but core.requests is the default`,
  );
  const idle = await inTurn(accounts, (count) => measureIdle(count, idleMs, short));
  print(
    table(
      idle.map(({ count, cpu, requests, mib, again }) => [
        `${count} accounts`,
        `CPU ${(cpu * 100).toFixed(2)} % of a core, ${requests.toFixed(1)} requests/min, ${mib.toFixed(0)} MiB, ready again in ${costOf(again)}`,
      ]),
    ),
  );
  print(
    `  each account more: ${(slope(idle, 'cpu') * 1e6).toFixed(2)} millionths of a core, ${(slope(idle, 'mib') * 1024).toFixed(1)} KiB`,
  );

  print(
    '\n  files in the spool when the gateway starts before a service that is not there, until it is ready: all have rows, and the ways in are open',
  );
  const starts = await inTurn(waiting, measureStart);
  print(
    table(
      starts.flatMap(({ count, without, withRows, mib }): [string, string][] => [
        [`${count} files, no ledger`, costOf(without)],
        [`${count} files and their rows`, `${costOf(withRows)}, ${mib.toFixed(0)} MiB`],
      ]),
    ),
  );

  const open = waiting[0] ?? 0;
  print(`\n  ${open} files, killed and the gateway's ledger deleted while they are being sent, accounts declared again`);
  const { accepted, lost, twice, seconds } = await measureLostLedger(open);
  print(table([['sent before, lost, sent twice', `${accepted}, ${lost}, ${twice}, all done in ${seconds.toFixed(0)} s`]]));
}

interface Idle {
  readonly count: number;
  /** Cores. */
  readonly cpu: number;
  /** In a minute. */
  readonly requests: number;
  readonly mib: number;
  /** The next start. */
  readonly again: Started;
}

async function measureIdle(count: number, idleMs: number, short: boolean): Promise<Idle> {
  const nodeOptions = ['--import', join(import.meta.dirname, 'request-count.mjs')];
  await using daemon = await startDaemon({ accounts: sellerAndBuyers(1), config: CONFIG, nodeOptions, ...AS_INSTALLED });
  await daemon.stop();
  await addAccounts(daemon, count);
  await daemon.start();
  await lookUntil('the first sweeps', async () => (await startedFeeds(daemon)) >= count * FAMILIES);
  // A start takes memory that is given back, at the cost of two moments, when main thread and core have rested for a minute or two.
  if (!short) await lookUntil('the threads to rest', () => threadsAtRest(daemon) >= 2);
  // V8 goes on by itself with what that has begun.
  await pause(idleMs);
  const requestsBefore = await requestsOf(daemon);
  const cpuBefore = cpuSeconds(daemon.pid);
  await pause(idleMs);
  const cpu = (cpuSeconds(daemon.pid) - cpuBefore) / (idleMs / 1_000);
  const requests = ((await requestsOf(daemon)) - requestsBefore) / (idleMs / 60_000);
  const mib = memoryMib(daemon.pid);
  await daemon.stop();
  return { count, cpu, requests, mib, again: await timedStart(daemon) };
}

async function lookUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${inSeconds(WITHIN_MS)} in vain for: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Those that have given back what they can, since this start. */
function threadsAtRest(daemon: TestDaemon): number {
  const facts = daemon.facts();
  const since = facts.findLastIndex(({ event }) => event === 'daemon.starting');
  const collected = facts.slice(since).flatMap(({ event, thread }) => (event === 'rest.collected' ? [thread] : []));
  return new Set(collected.filter((thread, at) => collected.indexOf(thread) < at)).size;
}

async function requestsOf(daemon: TestDaemon): Promise<number> {
  const seen = (): Fact[] => daemon.facts().filter(({ event }) => event === 'bench.requests');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  return Number((await until('the number of requests', () => seen()[before])).requests);
}

async function startedFeeds({ data }: TestDaemon): Promise<number> {
  const ledger = await openGatewayLedger(data);
  try {
    return await countStartedFeeds(ledger);
  } finally {
    await ledger.close();
  }
}

/** What one more account adds, between the fewest and the most. */
function slope(idle: readonly Idle[], figure: 'cpu' | 'mib'): number {
  const [few, many] = [idle[0], idle.at(-1)];
  return few && many ? (many[figure] - few[figure]) / (many.count - few.count) : Number.NaN;
}

async function inTurn<Result>(counts: readonly number[], measure: (count: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const count of counts) results.push(await measure(count));
  return results;
}

function costOf({ ms, cpuSeconds: cpu }: Started): string {
  return `${inSeconds(ms)} (${cpu.toFixed(1)} s of CPU)`;
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
