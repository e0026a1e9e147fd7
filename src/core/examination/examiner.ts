// Examining in threads of their own, so that reading and judging never stand between a request and its answer: small documents in one,
// large ones in another, where they delay only each other.
import { hash } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import type { Log } from '#runtime/log.ts';
import { keepRecent } from '#runtime/recent.ts';
import { apart } from '#runtime/threads/messages.ts';
import { openThread } from '#runtime/threads/thread.ts';
import { headless, type ReadHead } from '#ubl/head.ts';
import { type Examined, permit, refuseList, type Studied, type Studious, type Submission } from './examine.ts';
import type { ExaminerTasks } from './examiner-worker.ts';
import type { Delivery, Judged, Opened } from './open.ts';

export interface Examiner {
  /**
   * What the document is, for whoever asks before it is sent: it is judged at once, and not read again when it comes within moments. Throws
   * `unreadable`, `invalid` with `details: Finding[]` when its head lacks something, and as `examine` does when there is no answer.
   */
  readHead(document: Studious): Promise<ReadHead>;
  /** Throws as `examine` does, `rate-limited` when too much waits already, and `internal` when the thread fails. */
  examine(submission: Submission): Promise<Examined>;
  /** Throws as `open` does, and the same. */
  open(delivery: Delivery): Promise<Opened>;
  /** Throws as `judgeDelivery` does, and the same. */
  judge(delivery: Delivery): Promise<Judged>;
  close(): Promise<void>;
}

const LARGE_BYTES = 512 * 1024;
/** A tree lives as long as its document is judged: with room for it there is less to be copied (a fifth of the time of long documents). */
const YOUNG_MIB_MAX = 192;
/** Documents that were read before they were sent, and what was found in them: those of one pair of parties may wait long for each other. */
const STUDIED_MAX = 2_000;
/** Bodies that wait for one thread hold so much memory at the most. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const RETRY_AFTER_S = 5;

/** The thread of small documents starts at once, so that the first one need not wait for the rules to be read; the other when it is needed. */
export function openExaminer(log: Log, waitingBytesMax = WAITING_BYTES_MAX): Examiner {
  const small = openLane(log, waitingBytesMax, 'now');
  const large = openLane(log, waitingBytesMax, 'later');
  const laneFor = ({ length }: Uint8Array): Lane => (length < LARGE_BYTES ? small : large);
  const studied = keepRecent<Studied>(STUDIED_MAX, ({ problems, findings }) => 1 + problems.length + findings.length);

  /** Once for each document that is asked about before it is sent. */
  async function study(document: Studious, isSent: boolean): Promise<Studied> {
    const lane = laneFor(document.body);
    if (lane === large) return lane.study(document);
    const name = `${document.day} ${hash('sha256', document.body)}`;
    const known = studied.get(name);
    if (known) return known;
    const found = await lane.study(document);
    return isSent ? found : studied.put(name, found);
  }

  return {
    async readHead(document) {
      const { notation, head, problems } = await study(document, false);
      if (!head) throw headless(problems);
      return { ...head, notation };
    },
    async examine(submission) {
      refuseList(submission);
      return permit(await study(submission, true), submission);
    },
    open: (delivery) => laneFor(delivery.bytes).open(delivery),
    judge: (delivery) => laneFor(delivery.bytes).judge(delivery),
    async close() {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

interface Lane extends Pick<Examiner, 'open' | 'judge' | 'close'> {
  study(document: Studious): Promise<Studied>;
}

function openLane(log: Log, waitingBytesMax: number, begin: 'now' | 'later'): Lane {
  const thread = openThread<ExaminerTasks>({
    entry: new URL('./examiner-worker.ts', import.meta.url),
    begin,
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
    study: ({ body, day }) => bounded(body, () => thread.ask('study', { body: apart(body), day })),
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
