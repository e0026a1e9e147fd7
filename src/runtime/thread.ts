// Work in a thread of its own, both ends of it: tasks have names, are asked by messages, and are answered in the order in which they came.
// A thread that is lost is replaced; idle it keeps no process alive.
import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { openCapacity } from './capacity.ts';
import { systemClock } from './clock.ts';
import { openBatches } from './messages.ts';
import { startResting } from './rest.ts';

/** What is asked and what comes of it, by the name of the task: plain data, which is copied on its way. */
type Tasks<T> = { readonly [Name in keyof T]: { readonly asked: unknown; readonly found: unknown } };

export interface Thread<T extends Tasks<T>> {
  /** Throws what the task throws as an `AppError`, and `internal` when the thread is lost or closed. */
  ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']): Promise<T[Name]['found']>;
  close(): Promise<void>;
}

export interface ThreadOptions {
  /** The module that runs in it, and calls `answerTasks`. */
  readonly entry: URL;
  /** Now, or with the first task. */
  readonly begin?: 'now' | 'later';
  readonly limits?: ResourceLimits;
  /** Tasks that are handed over ahead of their answers; one that waits beyond that has not been copied yet. */
  readonly ahead?: number;
  /** Told of each thread that ended though nobody closed it, with the number of tasks that were lost with it. */
  readonly lost?: (cause: unknown, tasks: number) => void;
}

/** Nothing takes this long: a thread that does is lost. */
const TASK_MS_MAX = 60_000;

interface Request<T extends Tasks<T>, Name extends keyof T> {
  readonly id: number;
  readonly name: Name;
  readonly asked: T[Name]['asked'];
}

type Reply<Found> =
  | { readonly id: number; readonly found: Found }
  | { readonly id: number; readonly code: ErrorCode; readonly sentence: string; readonly facts: Readonly<Record<string, unknown>> };

interface Running {
  readonly worker: Worker;
  /** Hands over a task. */
  readonly post: (request: object) => void;
}

interface Waiting {
  take(reply: unknown): void;
  reject(error: AppError): void;
}

export function openThread<T extends Tasks<T>>({ entry, begin, limits = {}, ahead, lost }: ThreadOptions): Thread<T> {
  const waiting = new Map<number, Waiting>();
  const slots = openCapacity(ahead ?? Number.POSITIVE_INFINITY);
  let running: Running | null = begin === 'now' ? start() : null;
  let lastId = 0;
  let closed = false;

  function start(): Running {
    const started = new Worker(entry, { resourceLimits: limits });
    started.on('message', (reply: unknown) => {
      if (isReply<unknown>(reply)) waiting.get(reply.id)?.take(reply);
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', (status) => lose(started, new Error(`the thread ended with status ${status}`)));
    started.unref();
    return { worker: started, post: openBatches<object>(started).post };
  }

  function lose(thread: Worker, cause: unknown): void {
    if (running?.worker !== thread) return;
    running = null;
    lost?.(cause, waiting.size);
    rejectAll(new AppError('internal', 'The thread that worked on it was lost; try again.', { cause }));
    void thread.terminate();
  }

  function rejectAll(error: AppError): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  return {
    async ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']) {
      using _slot = await slots.take(1);
      if (closed) throw stopping();
      running ??= start();
      const { worker, post } = running;
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<T[Name]['found']>();
      const take = (reply: unknown): void => {
        if (!isReply<T[Name]['found']>(reply)) return;
        if ('found' in reply) resolve(reply.found);
        else reject(new AppError(reply.code, reply.sentence, { facts: reply.facts }));
      };
      waiting.set(id, { take, reject });
      const deadline = setTimeout(() => lose(worker, new Error('a task took too long')), TASK_MS_MAX);
      worker.ref();
      post({ id, name, asked });
      try {
        return await promise;
      } finally {
        clearTimeout(deadline);
        waiting.delete(id);
        if (waiting.size === 0) worker.unref();
      }
    },
    async close() {
      closed = true;
      const closing = running;
      running = null;
      rejectAll(stopping());
      await closing?.worker.terminate();
    },
  };
}

/** The end in the thread. What is thrown and is no `AppError` ends the thread: whoever asked is told, and another one takes its place. */
export function answerTasks<T extends Tasks<T>>(
  doers: { readonly [Name in keyof T]: (asked: T[Name]['asked']) => T[Name]['found'] },
): void {
  const replyTo = <Name extends keyof T>({ id, name, asked }: Request<T, Name>): Reply<T[Name]['found']> => {
    try {
      return { id, found: doers[name](asked) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { id, code: error.code, sentence: error.message, facts: error.facts };
    }
  };
  startResting({ clock: systemClock });
  // Each is answered when it is done: whoever asked for the first goes on while the second is worked on.
  parentPort?.on('message', (requests) => {
    for (const request of requests) parentPort?.postMessage(replyTo(request));
  });
}

/** Both ends are this program: the id says it all. */
function isReply<Found>(message: unknown): message is Reply<Found> {
  return typeof message === 'object' && message !== null && 'id' in message;
}

function stopping(): AppError {
  return new AppError('internal', 'The thread is stopping.');
}
