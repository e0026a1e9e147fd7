// From the CLOSE of an upload to its receipt and to the receiver's outbox: small invoices through the real daemon, core embedded, every
// hand-over fsynced and all rules on; over SSH, and by the intake alone; as fast as they are taken, and at a fixed rate; with verdicts at CLOSE; on a slow
// disk; on both engines.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AP_TOKEN } from '../support/access-point.ts';
import { yardstickMs } from '../support/cost.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openFaults, slowSyncs } from '../support/faults/shim.ts';
import { until } from '../support/until.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { p50And99, table } from './figures.ts';
import { fireSteadily } from './http-load.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import {
  CONFIG,
  type Figure,
  inside,
  type LoopDelay,
  numbering,
  type Running,
  type Size,
  sizeOf,
  speedOf,
  type Work,
  warmedUp,
} from './pipeline-daemons.ts';
import { reportEngines } from './pipeline-engines.ts';
import { afterClose, DOCUMENT_BYTES, type Load, settled, type Times, timesOf, type Uploads, uploadAll } from './pipeline-load.ts';
import { openSshLanes } from './pipeline-ssh.ts';
import { canTrace, syncTable, traceSyncs } from './pipeline-syncs.ts';
import { reportVerdicts } from './pipeline-verdicts.ts';
import { cpuSeconds } from './process-cost.ts';
import { verifyShots } from './verify.ts';

/** The same, and an access point that may ask. */
const VERIFYING = {
  core: {
    ...CONFIG.core,
    network: { kind: 'peppol', country: 'SE', accessPoint: 'http', url: 'http://127.0.0.1:9', token: { env: 'DROPGATE_BENCH_TOKEN' } },
  },
};
const VERIFIED_PER_SECOND = 200;
const VERIFIED_DOCUMENTS = 500;
const SLOW_FSYNC_MS = 5;
const OPEN_LOOP_PER_SECOND = 300;
/** They go one after the other. */
const TO_ONE_MAX = 600;

type Print = (line: string) => void;

export async function benchPipeline({ short, print }: BenchOptions): Promise<void> {
  const size = sizeOf(short);
  const { documents, buyers } = size;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes from one account to ${buyers} buyers, ${documents} in each run after ${size.warmUp} to warm up; core.requests ${CONFIG.core.requests}`,
  );
  if (AS_INSTALLED.under.length === 0) print('  without the scheduling policy of the unit: chrt (util-linux) is not installed');
  // Nothing is deleted between the runs: on some file systems that makes the next one slower.
  await using daemons = new AsyncDisposableStack();
  await inside(daemons, size, {}, async (running, from) => {
    const next = numbering(from);
    for (const atOnce of [8, 32]) {
      await report(running, `by the intake, ${atOnce} in flight`, next({ documents, buyers, atOnce }), print);
    }
  });
  await reportSyncs(daemons, size, print);
  await behindSsh(daemons, size, async (running, from) => {
    const next = numbering(from);
    for (const atOnce of [8, 32]) {
      await report(running, `over SSH, ${atOnce} in flight`, next({ documents, buyers, atOnce }), print);
    }
    const steady = { documents, buyers, atOnce: 32, perSecond: OPEN_LOOP_PER_SECOND };
    await report(running, `over SSH, ${OPEN_LOOP_PER_SECOND} a second, whatever becomes of them`, next(steady), print);
    await reportVerifying(running, next(steady), print);
    await report(running, 'over SSH, 8 in flight, to one buyer: one pair of parties, served in order', next(toOne(documents)), print);
  });
  await reportVerdicts(daemons, size, print);
  using slow = openFaults({ rules: [slowSyncs(SLOW_FSYNC_MS)] });
  await inside(daemons, size, { env: slow.env }, async (running, from) => {
    const title = `by the intake, 32 in flight, where each fsync takes ${SLOW_FSYNC_MS} ms longer`;
    await report(running, title, { documents, buyers, atOnce: 32, from }, print);
  });
  await reportEngines(daemons, size, print);
}

const toOne = (documents: number): Omit<Load, 'from'> => ({ documents: Math.min(documents, TO_ONE_MAX), buyers: 1, atOnce: 8 });

async function behindSsh(daemons: AsyncDisposableStack, { buyers, warmUp }: Size, work: Work): Promise<void> {
  const nodeOptions = ['--import', join(import.meta.dirname, 'loop-delay.ts')];
  const env = { ...AS_INSTALLED.env, DROPGATE_BENCH_TOKEN: AP_TOKEN };
  const options = { accounts: sellerAndBuyers(buyers), config: VERIFYING, nodeOptions, ...AS_INSTALLED, env };
  const daemon = daemons.use(await startDaemon(options));
  using ssh = await openSshLanes(daemon, 32);
  const upload = (load: Load): Promise<Uploads> => uploadAll(load, ssh.lanes.slice(0, load.atOnce));
  const running: Running = { daemon, pid: daemon.pid, upload, loopDelay: () => loopDelayOf(daemon) };
  await warmedUp(running, { documents: warmUp, buyers, atOnce: 8, from: 0 });
  await work(running, warmUp);
  await daemon.stop();
}

async function report({ daemon, pid, upload, loopDelay }: Running, title: string, load: Load, print: Print): Promise<void> {
  await loopDelay?.();
  const coreBefore = await yardstickMs();
  const before = cpuSeconds(pid);
  const uploads = await upload(load);
  await settled(daemon, load);
  const cpu = cpuSeconds(pid) - before;
  const delay = await loopDelay?.();
  const cores: Figure = ['a core takes, before and after', `${coreBefore.toFixed(0)}, ${(await yardstickMs()).toFixed(0)} ms`];
  print(`\n  ${title}`);
  const delays: Figure[] = delay
    ? [['event-loop delay of the SFTP loop', `p50 ${delay.p50.toFixed(1)}, p99 ${delay.p99.toFixed(1)}, max ${delay.max.toFixed(0)} ms`]]
    : [];
  print(table([...figuresOf(timesOf(daemon, load, uploads), load.documents, cpu), cores, ...delays]));
}

/** The run before it is the one without. */
async function reportVerifying(running: Running, load: Load, print: Print): Promise<void> {
  const asking = fireSteadily(running.daemon.coreUrl, verifyShots(VERIFIED_DOCUMENTS, true), VERIFIED_PER_SECOND);
  await report(
    running,
    `the same, while an access point has ${VERIFIED_PER_SECOND} others a second verified (in its CPU, too)`,
    load,
    print,
  );
  const { perSecond, milliseconds } = await asking.stop();
  print(table([['verifications, p50 / p99', `${perSecond.toFixed(0)}/s, ${p50And99(milliseconds)}`]]));
}

async function loopDelayOf(daemon: TestDaemon): Promise<LoopDelay> {
  const seen = (): ReturnType<TestDaemon['facts']> => daemon.facts().filter(({ event }) => event === 'bench.loop-delay');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  const { p50, p99, max } = await until('the event-loop delay', () => seen()[before]);
  return { p50: Number(p50), p99: Number(p99), max: Number(max) };
}

function figuresOf(times: Times, documents: number, cpu: number): Figure[] {
  return [
    speedOf(times, documents),
    ['CLOSE sent → answered, p50 / p99', p50And99(times.closingMs)],
    ['CLOSE answered → accepted', p50And99(afterClose(times, times.acceptedMs))],
    ["CLOSE answered → receiver's outbox", p50And99(afterClose(times, times.publishedMs))],
    ['CPU of the daemon, each', `${((cpu * 1_000) / documents).toFixed(1)} ms`],
  ];
}

async function reportSyncs(daemons: AsyncDisposableStack, size: Size, print: Print): Promise<void> {
  if (!canTrace()) return print('\n  fsyncs per document: not counted, strace is not installed or may not trace here');
  const load = { documents: size.documents, buyers: size.buyers, atOnce: 32, from: size.warmUp };
  const trace = traceSyncs(join(mkdtempSync(join(tmpdir(), 'dropgate-syncs-')), 'trace'));
  await inside(daemons, size, { under: trace.command }, async ({ daemon, upload }) => {
    trace.take();
    const uploads = await upload(load);
    await settled(daemon, load);
    print(`\n  by the intake, ${load.atOnce} in flight, under strace`);
    print(table([speedOf(timesOf(daemon, load, uploads), load.documents)]));
    print(syncTable(trace.take(), load.documents));
  });
}
