// What grows: idle accounts (CPU, requests, memory), and files that wait when the daemon starts, with its ledger and without.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { table } from './figures.ts';
import type { BenchOptions } from './main.ts';
import { addAccounts } from './many-accounts.ts';
import { sellerAndBuyers } from './parties.ts';
import { cpuSeconds, memoryMib } from './process-cost.ts';
import { measureLostLedger, measureStart } from './waiting-files.ts';

const FAMILIES = 8;
const SWEPT_WITHIN_MS = 900_000;
const LOOK_EVERY_MS = 2_000;
const CONFIG = { core: { listen: '127.0.0.1:0', requests: 10_000_000 } };

export async function benchScale({ short, print }: BenchOptions): Promise<void> {
  const [accounts, waiting, idleMs] = short ? [[10, 100], [300], 2_000] : [[10, 1_000, 10_000], [10_000, 100_000], 60_000];
  print(`  idle accounts with a home each, over ${idleMs / 1_000} s, once they have been swept; all but core.requests is the default`);
  const idle = await inTurn(accounts, (count) => measureIdle(count, idleMs));
  print(
    table(
      idle.map(({ count, cpu, requests, mib, readyMs }) => [
        `${count} accounts`,
        `CPU ${(cpu * 100).toFixed(2)} % of a core, ${requests.toFixed(1)} requests/min, ${mib.toFixed(0)} MiB, ready in ${inSeconds(readyMs)}`,
      ]),
    ),
  );
  print(
    `  each account more: ${(slope(idle, 'cpu') * 1e6).toFixed(2)} millionths of a core, ${(slope(idle, 'mib') * 1024).toFixed(1)} KiB`,
  );

  print('\n  files in the spool when the gateway starts before a service that is not there, until it is ready');
  const starts = await inTurn(waiting, measureStart);
  print(
    table(
      starts.flatMap(({ count, withoutMs, withMs, mib }): [string, string][] => [
        [`${count} files, no ledger`, inSeconds(withoutMs)],
        [`${count} files and their rows`, `${inSeconds(withMs)}, ${mib.toFixed(0)} MiB`],
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
  readonly readyMs: number;
}

/** The second start is measured: the first one also sorts out what was there before. */
async function measureIdle(count: number, idleMs: number): Promise<Idle> {
  const nodeOptions = ['--import', join(import.meta.dirname, 'request-count.ts')];
  await using daemon = await startDaemon({ accounts: sellerAndBuyers(1), config: CONFIG, nodeOptions });
  await daemon.stop();
  await addAccounts(daemon, count);
  await daemon.start();
  await until('the first sweeps', () => startedFeeds(daemon) >= count * FAMILIES, SWEPT_WITHIN_MS);
  await daemon.stop();
  const startMs = performance.now();
  await daemon.start();
  const readyMs = performance.now() - startMs;
  const requestsBefore = await untilQuiet(daemon, count);
  const cpuBefore = cpuSeconds(daemon.pid);
  await pause(idleMs);
  const cpu = (cpuSeconds(daemon.pid) - cpuBefore) / (idleMs / 1_000);
  const requests = ((await requestsOf(daemon)) - requestsBefore) / (idleMs / 60_000);
  return { count, cpu, requests, mib: memoryMib(daemon.pid), readyMs };
}

/** Resolves with the requests so far, when what a start does at once is done. */
async function untilQuiet(daemon: TestDaemon, count: number): Promise<number> {
  for (let before = await requestsOf(daemon); ; ) {
    await pause(LOOK_EVERY_MS);
    const now = await requestsOf(daemon);
    if (now - before <= Math.max(1, count / 100)) return now;
    before = now;
  }
}

async function requestsOf(daemon: TestDaemon): Promise<number> {
  const seen = (): ReturnType<TestDaemon['facts']> => daemon.facts().filter(({ event }) => event === 'bench.requests');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  return Number((await until('the number of requests', () => seen()[before])).requests);
}

function startedFeeds({ data }: TestDaemon): number {
  const ledger = new DatabaseSync(join(data, 'gateway.db'), { readOnly: true });
  try {
    return Number(ledger.prepare('select count(*) as feeds from sweeps where started > 0').get()?.feeds);
  } finally {
    ledger.close();
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

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
