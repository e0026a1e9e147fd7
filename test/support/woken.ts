// How soon a process ends that was stopped and is woken. Beside it another one is woken, with a known piece of work to do before it ends: by how much
// that is held up, others keep the machine busy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

/** Of a machine that does nothing else. */
const GONE_MS = 1_000;
/** Of the processor. */
const WORK_MS = 200;
const WORKS = `
  process.stdin.once('data', () => {
    const before = process.cpuUsage();
    let spent;
    do spent = process.cpuUsage(before); while (spent.user + spent.system < ${WORK_MS * 1_000});
    process.exit();
  });
  process.stdout.write('ready');`;

export interface Gone {
  readonly goneMs: number;
  /** As many times longer than on a quiet machine as the other one took. */
  readonly withinMs: number;
}

/** `signal` reaches the process, which has been stopped. */
export async function goneOnceWoken(signal: (signal: NodeJS.Signals) => void, isGone: () => boolean): Promise<Gone> {
  const other = spawn(process.execPath, ['-e', WORKS], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(other.stdout, 'data');
    other.kill('SIGSTOP');
    other.stdin.write('work');
    const ended = once(other, 'exit').then(() => performance.now());
    signal('SIGCONT');
    other.kill('SIGCONT');
    const wokenAt = performance.now();
    await until('it to be gone', isGone);
    const goneMs = performance.now() - wokenAt;
    const slowness = Math.max(((await ended) - wokenAt) / WORK_MS, 1);
    console.log(`woken, it was gone after ${Math.round(goneMs)} ms, on a machine ${slowness.toFixed(1)} times slower than a quiet one`);
    return { goneMs, withinMs: GONE_MS * slowness };
  } finally {
    other.kill('SIGKILL');
  }
}
