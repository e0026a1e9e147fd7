// What grows: idle accounts (CPU, requests, memory), and files that wait when the daemon starts, with its ledger and without.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fact, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { untilRests, untilSwept } from './at-rest.ts';
import { table } from './figures.ts';
import { addAccounts } from './many-accounts.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { cpuSeconds, memoryMib } from './process-cost.ts';
import { measureLostLedger, measureStart, type Started, timedStart } from './waiting-files.ts';

/** The gateway's are the defaults, which daemons of tests do not have; the log tells when a thread has given back what its start took. */
const CONFIG = {
  core: { listen: '127.0.0.1:0', requests: 10_000_000 },
  gateway: { settle: '5s', rescan: '10s' },
  log: { level: 'debug' },
};

export async function benchScale({ short, print }: BenchOptions): Promise<void> {
  const [accounts, waiting, idleMs] = short ? [[10, 100], [300], 2_000] : [[10, 1_000, 10_000], [10_000, 100_000], 60_000];
  print(
    `  idle accounts with a home each, over ${idleMs / 1_000} s, once they have been swept and the threads rest; all but core.requests is the default; memory: proportional set size`,
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
  await untilSwept(daemon, count);
  if (!short) await untilRests(daemon, 2);
  const requestsBefore = await requestsOf(daemon);
  const cpuBefore = cpuSeconds(daemon.pid);
  await pause(idleMs);
  const cpu = (cpuSeconds(daemon.pid) - cpuBefore) / (idleMs / 1_000);
  const requests = ((await requestsOf(daemon)) - requestsBefore) / (idleMs / 60_000);
  const mib = memoryMib(daemon.pid);
  await daemon.stop();
  return { count, cpu, requests, mib, again: await timedStart(daemon) };
}

async function requestsOf(daemon: TestDaemon): Promise<number> {
  const seen = (): Fact[] => daemon.facts().filter(({ event }) => event === 'bench.requests');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  return Number((await until('the number of requests', () => seen()[before])).requests);
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
