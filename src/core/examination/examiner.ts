// Examines documents in two threads, so that reading and judging block neither the event loop nor each other: small documents in one thread,
// large documents in the other.
import { hash } from 'node:crypto';
import { refusedFor } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { isRefusedHere, type JudgedHead } from '#rules/judged-head.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Log } from '#runtime/log.ts';
import { apart } from '#runtime/threads/messages.ts';
import { openThread } from '#runtime/threads/thread.ts';
import type { ExaminerTasks } from './examiner-worker.ts';
import type { Delivery, Judged, Opened } from './open.ts';
import { type DatedBody, type Examined, type Inspection, permit, refuseList, type Submission } from './permit.ts';

export interface Examiner {
  /**
   * The head of a document that will be sent in a moment: it is judged at once, and not read again when it is sent. Has the judgement, unless
   * the document stands in an envelope. Throws `unreadable`, `invalid` with `details: Finding[]` when a field of its head is missing, and as `examine` does when the thread fails.
   */
  readHead(document: DatedBody): Promise<JudgedHead>;
  /** Throws as `examine` does, `rate-limited` when too much waits already, and `internal` when the thread fails. */
  examine(submission: Submission): Promise<Examined>;
  /** Throws as `open` does, and the same. */
  open(delivery: Delivery): Promise<Opened>;
  /** Throws as `judgeDelivery` does, and the same. */
  judge(delivery: Delivery): Promise<Judged>;
  close(): Promise<void>;
}

const LARGE_BYTES = 512 * 1024;
/** A tree lives as long as its document is judged: with room for it the garbage collector copies less. */
const YOUNG_MIB_MAX = 192;
/** Inspections of documents that are not sent yet, by weight: documents of one pair of parties may wait long for each other. */
const INSPECTIONS_MAX = 2_000;
/** Memory that bodies may take while they wait for one thread. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const RETRY_AFTER_S = 5;

/** Each thread starts when it is needed: its first document, and the first of each kind, waits for the rules to be loaded. */
export function openExaminer(log: Log, waitingBytesMax = WAITING_BYTES_MAX): Examiner {
  const small = openExaminerThread(log, waitingBytesMax);
  const large = openExaminerThread(log, waitingBytesMax);
  const threadFor = ({ length }: Uint8Array): ExaminerThread => (length < LARGE_BYTES ? small : large);
  const inspections = new LruCache<Inspection>(INSPECTIONS_MAX, ({ problems, findings }) => 1 + problems.length + findings.length);

  /** Once for each document that is asked about before it is sent. */
  async function inspect(document: DatedBody, isSent: boolean): Promise<Inspection> {
    const thread = threadFor(document.body);
    if (thread === large) return thread.inspect(document);
    const name = `${document.day} ${hash('sha256', document.body)}`;
    const known = inspections.get(name);
    if (known) return known;
    const found = await thread.inspect(document);
    return isSent ? found : inspections.put(name, found);
  }

  return {
    async readHead(document) {
      const { notation, head, problems, findings } = await inspect(document, false);
      if (!head) throw refusedFor(problems);
      const read = { ...head, notation };
      return head.enveloped ? read : { ...read, judgement: { day: document.day, refusing: findings.filter(isRefusedHere) } };
    },
    async examine(submission) {
      refuseList(submission);
      return permit(await inspect(submission, true), submission);
    },
    open: (delivery) => threadFor(delivery.bytes).open(delivery),
    judge: (delivery) => threadFor(delivery.bytes).judge(delivery),
    async close() {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

interface ExaminerThread extends Pick<Examiner, 'open' | 'judge' | 'close'> {
  inspect(document: DatedBody): Promise<Inspection>;
}

function openExaminerThread(log: Log, waitingBytesMax: number): ExaminerThread {
  const thread = openThread<ExaminerTasks>({
    entry: new URL('./examiner-worker.ts', import.meta.url),
    limits: { maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
    lost: (cause, waiting) => log.error({ event: 'core.examiner-lost', waiting, err: cause }),
  });
  let waitingBytes = 0;
  async function bounded<Found>({ length }: Uint8Array, ask: () => Promise<Found>): Promise<Found> {
    // One document is always taken, however large.
    if (waitingBytes > 0 && waitingBytes + length > waitingBytesMax) throw overloaded();
    waitingBytes += length;
    try {
      return await ask();
    } finally {
      waitingBytes -= length;
    }
  }
  return {
    inspect: ({ body, day }) => bounded(body, () => thread.ask('inspect', { body: apart(body), day })),
    open: (delivery) => bounded(delivery.bytes, () => thread.ask('open', { ...delivery, bytes: apart(delivery.bytes) })),
    judge: (delivery) => bounded(delivery.bytes, () => thread.ask('judgeDelivery', { ...delivery, bytes: apart(delivery.bytes) })),
    close: () => thread.close(),
  };
}

function overloaded(): AppError {
  const facts = { retryAfterSeconds: RETRY_AFTER_S };
  return new AppError('rate-limited', 'Too many documents are being examined at this moment: send this one again in a few seconds.', {
    facts,
  });
}
