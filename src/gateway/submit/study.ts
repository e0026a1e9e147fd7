// Close reading in a thread of its own, so that it never stands between a client and its transfer. The thread starts when it is needed.
import { Worker } from 'node:worker_threads';
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Log } from '#runtime/log.ts';
import { isStudyReply, type StudyReply, type StudyRequest, type Unwrapped } from './study-messages.ts';

/** All throw `unreadable` and `invalid` as reading does, and `internal` when the thread fails. */
export interface Study {
  /** What refuses the document by the rules of that day, `YYYY-MM-DD`. */
  judge(bytes: Uint8Array, day: string): Promise<readonly Finding[]>;
  /** Whether theirs is ours with additions: every node of ours stands in theirs, in order. */
  contains(ours: Uint8Array, theirs: Uint8Array): Promise<boolean>;
  /** The document in an envelope. */
  unwrap(bytes: Uint8Array): Promise<Unwrapped>;
  close(): Promise<void>;
}

/** The largest document with the most elements takes a few hundred megabytes. */
const HEAP_MIB_MAX = 2048;
/** Nothing takes this long: a thread that does is lost, and another one takes its place. */
const STUDY_MS_MAX = 60_000;

type Found = Extract<StudyReply, { kind: 'found' }>['found'];

export function openStudy(log: Log): Study {
  let worker: Worker | null = null;
  let asked: PromiseWithResolvers<Found> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let lastId = 0;

  function lose(lost: Worker, cause: unknown): void {
    if (worker !== lost) return;
    worker = null;
    asked?.reject(new AppError('internal', 'The document could not be read closely; try again.', { cause }));
    log.error({ event: 'study.lost', err: cause });
    void lost.terminate();
  }

  function start(): Worker {
    const started = new Worker(new URL('./study-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } });
    started.on('message', (reply: unknown) => {
      if (!isStudyReply(reply) || reply.id !== lastId) return;
      if (reply.kind === 'found') asked?.resolve(reply.found);
      else asked?.reject(new AppError(reply.code, reply.sentence, { facts: reply.facts }));
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', (status) => lose(started, new Error(`the thread ended with status ${status}`)));
    return started;
  }

  /** One at a time: a document that waits for its turn costs no copy. */
  function ask(request: Omit<StudyRequest, 'id'>): Promise<Found> {
    const turn = last.then(async () => {
      worker ??= start();
      const by = worker;
      asked = Promise.withResolvers<Found>();
      const deadline = setTimeout(() => lose(by, new Error('took too long')), STUDY_MS_MAX);
      by.postMessage({ ...request, id: ++lastId });
      return asked.promise.finally(() => clearTimeout(deadline));
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    async judge(bytes, day) {
      const found = await ask({ name: 'judge', asked: { bytes, day } });
      return Array.isArray(found) ? found : [];
    },
    contains: async (ours, theirs) => (await ask({ name: 'contains', asked: { ours, theirs } })) === true,
    async unwrap(bytes) {
      const found = await ask({ name: 'unwrap', asked: { bytes } });
      if (typeof found !== 'object' || !('document' in found))
        throw new AppError('internal', 'The envelope could not be opened; try again.');
      return found;
    },
    async close() {
      const closing = worker;
      worker = null;
      asked?.reject(new AppError('internal', 'The gateway is stopping.'));
      await closing?.terminate();
    },
  };
}
