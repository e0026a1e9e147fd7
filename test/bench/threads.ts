// The threads of one process: what each takes of the processor, how often it wakes, and the heaps of those that run JavaScript.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { WORKERS } from './process-cost.ts';

/** For a daemon whose heaps are asked for. */
export const HEAPS = ['--import', join(import.meta.dirname, 'heaps.mjs')];

/** Of a thread that runs JavaScript, in bytes. */
export interface Heap {
  /** `main`, or what it does. */
  readonly name: string;
  /** By which Linux knows it. */
  readonly thread: number;
  /** What each space takes of the machine's memory. */
  readonly spaces: Readonly<Record<string, number>>;
  readonly used: number;
  /** Of buffers, which lie beside the heap. */
  readonly buffers: number;
}

interface Times {
  readonly name: string;
  readonly nanoseconds: number;
  /** How often it was given a core. */
  readonly wakes: number;
}

/** In a span of time: of one thread, or of all that have its name. */
export interface ThreadCost {
  /** A core is 1. */
  readonly share: number;
  readonly wakesPerSecond: number;
}

/** Threads that judge, scan and so on have their work in the name of their module. */
const WORK = /^([a-z]+)-worker/;

/** Asks each thread that runs JavaScript. */
export async function heapsOf(daemon: TestDaemon): Promise<Heap[]> {
  const told = () => daemon.facts().filter(({ event }) => event === 'bench.heap');
  const before = told().length;
  const running = [...timesOf(daemon.pid).values()].filter(({ name }) => WORKERS.includes(name)).length + 1;
  daemon.signal('SIGUSR2');
  const heaps = await until('the heaps of all threads', () => {
    const now = told().slice(before);
    return now.length >= running ? now : null;
  });
  return heaps.map(({ isMain, called, entry, thread, spaces, used, buffers }) => ({
    name: isMain === true ? 'main' : String(called || (WORK.exec(String(entry))?.[1] ?? 'reader')),
    thread: Number(thread),
    spaces: Object.fromEntries(Object.entries(spaces ?? {}).map(([space, bytes]) => [space, Number(bytes)])),
    used: Number(used),
    buffers: Number(buffers),
  }));
}

/** Returns what tells what the threads have taken since, by their names: those of `heaps` have their own. */
export function watchThreads(pid: number, heaps: readonly Heap[]): () => ReadonlyMap<string, ThreadCost> {
  const [before, fromMs] = [timesOf(pid), performance.now()];
  const names = new Map(heaps.map(({ thread, name }) => [thread, name]));
  return () => {
    const milliseconds = performance.now() - fromMs;
    const costs = new Map<string, ThreadCost>();
    for (const [thread, { name: common, nanoseconds, wakes }] of timesOf(pid)) {
      const name = names.get(thread) ?? common;
      const { share, wakesPerSecond } = costs.get(name) ?? { share: 0, wakesPerSecond: 0 };
      costs.set(name, {
        share: share + (nanoseconds - (before.get(thread)?.nanoseconds ?? 0)) / 1e6 / milliseconds,
        wakesPerSecond: wakesPerSecond + ((wakes - (before.get(thread)?.wakes ?? 0)) * 1e3) / milliseconds,
      });
    }
    return costs;
  };
}

/** By the scheduler's own clock: that of /proc/PID/stat counts hundredths of a second. */
function timesOf(pid: number): ReadonlyMap<number, Times> {
  const tasks = `/proc/${pid}/task`;
  return new Map(
    readdirSync(tasks).map((thread) => {
      const [nanoseconds = 0, , wakes = 0] = readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').trim().split(' ').map(Number);
      return [Number(thread), { name: readFileSync(`${tasks}/${thread}/comm`, 'utf8').trim(), nanoseconds, wakes }];
    }),
  );
}
