// What a server costs while a bench runs: CPU and memory of its process and all below it, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Fields of /proc/PID/stat that count, counted from behind the name: state is 0. */
const FIELD = { parent: 1, userTicks: 11, systemTicks: 12, endedUserTicks: 13, endedSystemTicks: 14 } as const;

/** CPU seconds of the process, its living children, and those that have ended and were waited for. */
export function cpuSeconds(pid: number): number {
  const ticks = treeOf(pid).map((each) => {
    const stat = statOf(each);
    return [FIELD.userTicks, FIELD.systemTicks, FIELD.endedUserTicks, FIELD.endedSystemTicks].reduce(
      (sum, at) => sum + Number(stat[at] ?? 0),
      0,
    );
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Proportional set size of the process and its children, in MiB: shared pages are divided among those that share them. */
export function memoryMib(pid: number): number {
  const kib = treeOf(pid).map((each) => Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** What of it stands in no file: heaps and stacks. The rest, mostly Node itself, is shared by all that run the same Node, and can be read again. */
export function ownMib(pid: number): number {
  const kib = treeOf(pid).map((each) => Number(/^Pss_Anon:\s+(\d+) kB/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** The threads of one process, counted by their names. */
export function threadsOf(pid: number): ReadonlyMap<string, number> {
  const names = readdirSync(`/proc/${pid}/task`).map((thread) => read(`/proc/${pid}/task/${thread}/comm`).trim());
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, same]) => [name, same.length]));
}

/** By the names that Linux has for threads that run JavaScript beside the main thread: only the core's has its own. */
export const WORKERS: readonly string[] = ['WorkerThread', 'core'];

export function workersOf(pid: number): number {
  const threads = threadsOf(pid);
  return WORKERS.reduce((sum, name) => sum + (threads.get(name) ?? 0), 0);
}

function treeOf(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))[FIELD.parent]) }));
  const tree = [root];
  for (const pid of tree) tree.push(...parents.filter(({ parent }) => parent === pid).map((each) => each.pid));
  return tree;
}

function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** Empty for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
