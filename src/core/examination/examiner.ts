// Examining in threads of their own, so that reading and judging never stand between a request and its answer: small documents in one,
// large ones in another, where they delay only each other.
import { Worker } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import type { Log } from '#runtime/log.ts';
import type { Examined, Submission } from './examine.ts';
import { type ExaminationReply, isExaminationReply } from './replies.ts';

export interface Examiner {
  /** Throws as `examine` does, `rate-limited` when too much waits already, and `internal` when the thread fails. */
  examine(submission: Submission): Promise<Examined>;
  close(): Promise<void>;
}

const LARGE_BYTES = 512 * 1024;
/** The largest document with the most elements takes a few hundred megabytes. */
const HEAP_MIB_MAX = 2048;
/** A tree lives as long as its document is judged: with room for it there is less to be copied (a fifth of the time of long documents). */
const YOUNG_MIB_MAX = 192;
/** Bodies that wait for one thread hold so much memory at the most. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const RETRY_AFTER_S = 5;
/** Nothing takes this long: a thread that does is lost, and another one takes its place. */
const EXAMINATION_MS_MAX = 60_000;

/** The thread of small documents starts at once, so that the first one need not wait for the rules to be read; the other when it is needed. */
export function openExaminer(log: Log, waitingBytesMax = WAITING_BYTES_MAX): Examiner {
  const small = openLane(log, waitingBytesMax, 'now');
  const large = openLane(log, waitingBytesMax, 'later');
  return {
    examine: (submission) => (submission.body.length < LARGE_BYTES ? small : large).examine(submission),
    async close() {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

interface Asked extends PromiseWithResolvers<Examined> {
  readonly bytes: number;
  readonly deadline: NodeJS.Timeout;
}

/** One thread, replaced when it fails. */
function openLane(log: Log, waitingBytesMax: number, begin: 'now' | 'later'): Examiner {
  const asked = new Map<number, Asked>();
  let worker: Worker | null = begin === 'now' ? start() : null;
  let lastId = 0;
  let waitingBytes = 0;

  function settle(id: number): Asked | undefined {
    const waiting = asked.get(id);
    if (waiting) {
      clearTimeout(waiting.deadline);
      waitingBytes -= waiting.bytes;
    }
    asked.delete(id);
    return waiting;
  }

  function lose(lost: Worker, cause: unknown): void {
    if (worker !== lost) return;
    worker = null;
    log.error({ event: 'core.examiner-lost', waiting: asked.size, err: cause });
    for (const id of [...asked.keys()]) settle(id)?.reject(new AppError('internal', 'The examination of the document failed.', { cause }));
    void lost.terminate();
  }

  function start(): Worker {
    const started = new Worker(new URL('./examiner-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX, maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
    });
    started.on('message', (reply: unknown) => {
      if (!isExaminationReply(reply)) return;
      const waiting = settle(reply.id);
      if (reply.kind === 'examined') waiting?.resolve(reply.examined);
      else waiting?.reject(errorOf(reply));
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', (status) => lose(started, new Error(`ended with status ${status}`)));
    return started;
  }

  return {
    async examine(submission) {
      const bytes = submission.body.length;
      // One document is always taken, however large.
      if (asked.size > 0 && waitingBytes + bytes > waitingBytesMax) throw overloaded();
      worker ??= start();
      const by = worker;
      const id = ++lastId;
      const deadline = setTimeout(() => lose(by, new Error('took too long')), EXAMINATION_MS_MAX);
      const answer = Promise.withResolvers<Examined>();
      asked.set(id, { ...answer, deadline, bytes });
      waitingBytes += bytes;
      by.postMessage({ id, submission });
      return answer.promise;
    },
    async close() {
      const closing = worker;
      worker = null;
      for (const id of [...asked.keys()]) settle(id)?.reject(new AppError('internal', 'The core is stopping.'));
      await closing?.terminate();
    },
  };
}

function overloaded(): AppError {
  const facts = { retryAfterSeconds: RETRY_AFTER_S };
  return new AppError('rate-limited', 'Too many documents are being examined at this moment: send this one again in a few seconds.', {
    facts,
  });
}

function errorOf({ code, message, facts }: Extract<ExaminationReply, { kind: 'refused' }>): AppError {
  return new AppError(code, message, { facts });
}
