// Loaded into a daemon before the program (--import), in each of its threads: its clock is ahead of the machine's by as many milliseconds as a file
// says. What waits a second or longer, and would not keep the process alive, waits until that clock says that it is over; the rest, as deadlines of
// requests, goes by the machine's.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { until } from './until.ts';

const WAIT_MS_MIN = 1_000;
const LOOK_EVERY_MS = 10;
/** What came due ends meanwhile, mostly. */
const SETTLE_MS = 60;
const { DROPGATE_SET_CLOCK } = process.env;

if (DROPGATE_SET_CLOCK !== undefined) follow(DROPGATE_SET_CLOCK);

interface Waiting {
  readonly dueMs: number;
  readonly call: () => void;
}

function follow(file: string): void {
  const { setTimeout: plain, clearTimeout: clear } = globalThis;
  const machine = Date.now;
  const waiting = new Map<unknown, Waiting>();
  let aheadMs = read(file);
  Date.now = () => machine() + aheadMs;
  const forget = (timer: NodeJS.Timeout): void => {
    waiting.delete(timer);
    clear(timer);
  };
  const wait = (call: (...args: readonly unknown[]) => void, delayMs = 0, ...args: readonly unknown[]): NodeJS.Timeout => {
    const timer = plain(() => {
      waiting.delete(timer);
      call(...args);
    }, delayMs);
    const { unref } = timer;
    timer.unref = () => {
      if (delayMs >= WAIT_MS_MIN) waiting.set(timer, { dueMs: Date.now() + delayMs, call: () => call(...args) });
      return unref.call(timer);
    };
    return timer;
  };
  Object.assign(globalThis, { setTimeout: wait, clearTimeout: forget });
  setInterval(() => {
    const nextMs = read(file);
    if (nextMs === aheadMs) return;
    aheadMs = nextMs;
    const due = [...waiting].filter(([, { dueMs }]) => dueMs <= Date.now()).sort(([, one], [, other]) => one.dueMs - other.dueMs);
    for (const [timer, { call }] of due) {
      // One before it may have cancelled it.
      if (!waiting.delete(timer)) continue;
      clear(timer as NodeJS.Timeout);
      call();
    }
    if (isMainThread) writeFileSync(`${file}.taken`, String(aheadMs));
  }, LOOK_EVERY_MS).unref();
}

function read(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

/** The clock of daemons that are started with `env`, and with this file by `--import`. */
export class SetClock {
  readonly #file: string;
  readonly env: Readonly<Record<string, string>>;
  #aheadMs = 0;

  constructor(file: string) {
    this.#file = file;
    this.env = { DROPGATE_SET_CLOCK: file };
  }

  /** Resolves when the one daemon that runs has done the most of what came due. */
  async pass(ms: number): Promise<void> {
    this.#aheadMs += ms;
    writeFileSync(`${this.#file}.next`, String(this.#aheadMs));
    renameSync(`${this.#file}.next`, this.#file);
    await until('the daemon to see what time it is', () => read(`${this.#file}.taken`) === this.#aheadMs);
    await pause(SETTLE_MS);
  }
}
