// The daemons that the pipeline bench gives its loads.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type DaemonOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { sellerAndBuyers } from './parties.ts';
import { type Load, settled, type Times, type Uploads } from './pipeline-load.ts';

/** What of the configuration is not the default. */
export const CONFIG = { core: { listen: '127.0.0.1:0', requests: 10_000_000 } };

export interface Size {
  readonly documents: number;
  readonly buyers: number;
  readonly warmUp: number;
}

export function sizeOf(short: boolean): Size {
  return short ? { documents: 200, buyers: 8, warmUp: 200 } : { documents: 3_000, buyers: 40, warmUp: 6_000 };
}

/** A daemon to which loads are given, one after the other. */
export interface Running {
  readonly daemon: TestDaemon;
  readonly pid: number;
  upload(load: Load): Promise<Uploads>;
  /** Of the thread that serves SFTP, since the last call. */
  loopDelay?(): Promise<LoopDelay>;
}

export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export type Work = (running: Running, from: number) => Promise<void>;

/** Numbers the documents of one load after those of another. */
export function numbering(first: number): (load: Omit<Load, 'from'>) => Load {
  let from = first;
  return (load) => {
    const numbered = { ...load, from };
    from += load.documents;
    return numbered;
  };
}

/** In other circumstances. `checkout`: of another version, or this one changed, in place of the sources around us. */
interface Circumstances extends Pick<DaemonOptions, 'under' | 'env' | 'config'> {
  readonly checkout?: string;
  /** Before it is started. */
  readonly prepare?: (daemon: TestDaemon) => Promise<void>;
}

/** A daemon that uploads to itself. */
export async function inside(
  daemons: AsyncDisposableStack,
  { buyers, warmUp }: Pick<Size, 'buyers' | 'warmUp'>,
  { under = [], env = {}, config = {}, checkout, prepare }: Circumstances,
  work: Work,
): Promise<void> {
  const program = checkout === undefined ? {} : { program: join(checkout, 'src/main.ts') };
  const daemon = daemons.use(await startDaemon({ accounts: sellerAndBuyers(buyers), config: { ...CONFIG, ...config }, env, ...program }));
  await daemon.stop();
  await prepare?.(daemon);
  const [command = process.execPath, ...words] = [
    ...AS_INSTALLED.under,
    ...under,
    process.execPath,
    checkout === undefined ? join(import.meta.dirname, 'pipeline-inside.ts') : join(checkout, 'test/bench/pipeline-inside.ts'),
    daemon.configFile,
  ];
  const child = spawn(command, words, {
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...AS_INSTALLED.env, ...env },
  });
  const ended = once(child, 'exit');
  const [input, , , answers] = child.stdio;
  if (!input || !(answers instanceof Readable)) throw new Error('the daemon inside has no pipes');
  const lines = createInterface({ input: answers })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  if ((await line()) !== '"ready"') throw new Error('the daemon inside did not start');
  const upload = async (load: Load): Promise<Uploads> => {
    input.write(`${JSON.stringify(load)}\n`);
    return JSON.parse(await line());
  };
  const running: Running = { daemon, pid: pidOf(child), upload };
  await warmedUp(running, { documents: warmUp, buyers, atOnce: 8, from: 0 });
  await work(running, warmUp);
  input.end();
  await ended;
}

export async function warmedUp({ daemon, upload }: Running, load: Load): Promise<void> {
  await upload(load);
  await settled(daemon, load);
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the daemon inside has no process');
  return pid;
}

export type Figure = [name: string, figure: string];

/** Documents a second until the last was uploaded, accepted, published. */
export function speedsOf({ startMs, closedMs, acceptedMs, publishedMs }: Times, documents: number): number[] {
  const last = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  return [closedMs, acceptedMs, publishedMs].map((moments) => (documents / (last(moments) - startMs)) * 1_000);
}

export function speedOf(times: Times, documents: number): Figure {
  const shown = speedsOf(times, documents).map((perSecond) => `${perSecond.toFixed(0)}/s`);
  return ['uploaded, accepted, published', shown.join(', ')];
}
