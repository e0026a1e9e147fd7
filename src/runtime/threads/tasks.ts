// Tasks that one thread asks of another: both ends of a port. Tasks have names, are asked by messages, and are answered one by one.
import type { MessagePort } from 'node:worker_threads';
import { AppError, type ErrorCode, toAppError } from '#domain/error.ts';
import { openBatches } from './messages.ts';

/** What is asked and what comes of it, by the name of the task: plain data, which is copied on its way. */
export type Tasks<T> = { readonly [Name in keyof T]: { readonly asked: unknown; readonly found: unknown } };

/** Tasks are asked, and answered, in lists. */
export interface Request<T extends Tasks<T>, Name extends keyof T = keyof T> {
  readonly id: number;
  readonly name: Name;
  readonly asked: T[Name]['asked'];
}

export type Reply<Found> =
  | { readonly id: number; readonly found: Found }
  | { readonly id: number; readonly code: ErrorCode; readonly sentence: string; readonly facts: Readonly<Record<string, unknown>> };

export interface Asker<T extends Tasks<T>> {
  /** Throws what the task throws as an `AppError`, and `internal` when it is not answered in time. */
  ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']): Promise<T[Name]['found']>;
  /** How many are not answered yet. */
  readonly waiting: number;
  /** Nothing that waits, or is asked from now on, will be answered. */
  fail(error: AppError): void;
}

/** Nothing takes this long: who does is lost. */
const TASK_MS_MAX = 60_000;

interface Waiting {
  take(reply: unknown): void;
  reject(error: AppError): void;
}

/** A thread, or a port to one. */
interface Way {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

/** The end that asks. `late` hears when an answer does not come in time. */
export function openAsker<T extends Tasks<T>>(port: Way, late?: () => void): Asker<T> {
  const waiting = new Map<number, Waiting>();
  const { post } = openBatches<object>(port);
  let lastId = 0;
  let failed: AppError | null = null;

  port.on('message', (replies: unknown) => {
    if (!Array.isArray(replies)) return;
    for (const reply of replies) if (isReply<unknown>(reply)) waiting.get(reply.id)?.take(reply);
  });

  return {
    get waiting() {
      return waiting.size;
    },
    async ask<Name extends keyof T>(name: Name, asked: T[Name]['asked']) {
      if (failed) throw failed;
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<T[Name]['found']>();
      const take = (reply: unknown): void => {
        if (!isReply<T[Name]['found']>(reply)) return;
        if ('found' in reply) resolve(reply.found);
        else reject(new AppError(reply.code, reply.sentence, { facts: reply.facts }));
      };
      waiting.set(id, { take, reject });
      const deadline = setTimeout(() => {
        late?.();
        reject(new AppError('internal', 'The thread that works on it did not answer in time; try again.'));
      }, TASK_MS_MAX);
      post({ id, name, asked });
      try {
        return await promise;
      } finally {
        clearTimeout(deadline);
        waiting.delete(id);
      }
    },
    fail(error) {
      failed = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}

/** The end that answers, each as soon as it is done. */
export function answerAsker<T extends Tasks<T>>(
  port: MessagePort,
  doers: { readonly [Name in keyof T]: (asked: T[Name]['asked']) => Promise<T[Name]['found']> },
): void {
  const { post } = openBatches<Reply<T[keyof T]['found']>>(port);
  const answer = async <Name extends keyof T>({ id, name, asked }: Request<T, Name>): Promise<void> => {
    try {
      post({ id, found: await doers[name](asked) });
    } catch (error) {
      post(refusal(id, toAppError(error)));
    }
  };
  port.on('message', (requests) => {
    for (const request of requests) void answer(request);
  });
}

export function refusal(id: number, { code, message, facts }: AppError): Reply<never> {
  return { id, code, sentence: message, facts };
}

/** Both ends are this program: the id says it all. */
function isReply<Found>(message: unknown): message is Reply<Found> {
  return typeof message === 'object' && message !== null && 'id' in message;
}
