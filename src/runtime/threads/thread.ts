// A worker thread that answers tasks in order: `openThread` in the thread that asks, `answerTasks` in the worker. The first task starts the
// worker, minutes without a task end it, and a task after a crash starts another one. An idle worker does not keep the process alive.
import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { startResting } from './rest.ts';
import { type Asker, openAsker, type Reply, type Request, refusal, type Tasks } from './tasks.ts';

interface Thread<T extends Tasks<T>> {
  /** Throws what the task throws as an `AppError`, and `internal` when the thread is lost or closed. */
  ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']): Promise<T[Name]['found']>;
  close(): Promise<void>;
}

export interface ThreadOptions {
  /** The module that runs in it, and calls `answerTasks`. */
  readonly entry: URL;
  readonly clock?: Clock;
  readonly limits?: ResourceLimits;
  /** Called when a worker has crashed, with the number of tasks that failed with it. */
  readonly lost?: (cause: unknown, tasks: number) => void;
}

interface Running<T extends Tasks<T>> {
  readonly worker: Worker;
  readonly asker: Asker<T>;
}

/** A worker without a task ends after this time, to free its heap and the modules that it has loaded. */
export const REST_MS = 5 * 60_000;

/** Reading and judging the largest document with the most elements takes a quarter of it. MemoryMax of the unit has room for all threads. */
const HEAP_MIB_MAX = 1024;

export function openThread<T extends Tasks<T>>({ entry, clock = systemClock, limits, lost }: ThreadOptions): Thread<T> {
  let running: Running<T> | null = null;
  let resting: Disposable | undefined;
  let closed = false;

  function start(): Running<T> {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX, ...limits } });
    const started = { worker, asker: openAsker<T>(worker, () => lose(started, new Error('a task took too long'))) };
    worker.on('error', (error) => lose(started, error));
    worker.on('exit', (status) => lose(started, new Error(`the thread ended with status ${status}`)));
    worker.unref();
    return started;
  }

  function lose(ended: Running<T>, cause: unknown): void {
    if (running !== ended) return;
    running = null;
    lost?.(cause, ended.asker.waiting);
    ended.asker.fail(new AppError('internal', 'The thread that worked on it was lost; try again.', { cause }));
    void ended.worker.terminate();
  }

  function rest(): void {
    running?.worker.unref();
    resting?.[Symbol.dispose]();
    resting = clock.after(REST_MS, end);
  }

  function end(): void {
    const ending = running;
    running = null;
    void ending?.worker.terminate();
  }

  return {
    async ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']) {
      if (closed) throw stopping();
      running ??= start();
      resting?.[Symbol.dispose]();
      const { worker, asker } = running;
      worker.ref();
      try {
        return await asker.ask(name, asked);
      } finally {
        if (asker === running?.asker && asker.waiting === 0) rest();
      }
    },
    async close() {
      closed = true;
      resting?.[Symbol.dispose]();
      const closing = running;
      running = null;
      closing?.asker.fail(stopping());
      await closing?.worker.terminate();
    },
  };
}

/** Answers tasks in the worker. An error that is no `AppError` crashes the worker: its tasks fail, and the next task starts another one. */
export function answerTasks<T extends Tasks<T>>(
  doers: { readonly [Name in keyof T]: (asked: T[Name]['asked']) => T[Name]['found'] | Promise<T[Name]['found']> },
): void {
  const replyTo = async <Name extends keyof T>({ id, name, asked }: Request<T, Name>): Promise<Reply<T[Name]['found']>> => {
    try {
      return { id, found: await doers[name](asked) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refusal(id, error);
    }
  };
  startResting({ clock: systemClock });
  // One task at a time, because an error ends the worker; each is answered at once, so that its asker goes on during the next task.
  let done = Promise.resolve();
  parentPort?.on('message', (requests) => {
    for (const request of requests)
      done = done.then(async () => {
        const reply = await replyTo(request);
        parentPort?.postMessage([reply]);
      });
  });
}

function stopping(): AppError {
  return new AppError('internal', 'The thread is stopping.');
}
