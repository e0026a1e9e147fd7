// Close reading in a thread of its own, so that it never stands between a client and its transfer. The thread starts when it is needed.
import type { Finding } from '#domain/document.ts';
import type { Log } from '#runtime/log.ts';
import { openThread } from '#runtime/threads/thread.ts';
import type { StudyTasks, Unwrapped } from './read-whole-worker.ts';

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

export function openStudy(log: Log): Study {
  const thread = openThread<StudyTasks>({
    entry: new URL('./read-whole-worker.ts', import.meta.url),
    ahead: 1,
    lost: (cause) => log.error({ event: 'study.lost', err: cause }),
  });
  return {
    judge: (bytes, day) => thread.ask('judge', { bytes, day }),
    contains: (ours, theirs) => thread.ask('contains', { ours, theirs }),
    unwrap: (bytes) => thread.ask('unwrap', { bytes }),
    close: () => thread.close(),
  };
}
