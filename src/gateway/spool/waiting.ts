// Files that were closed under a temporary name: after a while their dropper is told that they still wait for their real one.

import { digestFile } from '#gateway/disk/spool-files.ts';
import type { Subject } from '#gateway/model/outcome.ts';
import type { Clock } from '#runtime/clock.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { InboxView, Seen } from './view.ts';

const TOLD_AFTER_MS = 10 * 60_000;

export interface WaitingParts {
  readonly view: InboxView;
  readonly clock: Clock;
  readonly log: LogLines;
  /** Publishes the receipt, once for each upload whatever it is asked. */
  readonly tell: (subject: Subject) => Promise<void>;
}

/** Returns what looks for such files: to be called from time to time. */
export function lookForWaiting({ view, clock, log, tell }: WaitingParts): () => void {
  let told = new Set<string>();

  async function tellOf({ id: item, home, login, name: fileName, mtimeMs: receivedAt, path }: Seen): Promise<void> {
    try {
      // In a home of several accounts nobody knows yet whose it is.
      await tell({ item, accountRegNo: home, home, login, fileName, sha256: await digestFile(path), receivedAt, head: null });
      log.info({ event: 'upload.waits', upload: item, home, login });
    } catch (error) {
      told.delete(item);
      log.warn({ event: 'upload.untold', upload: item, home, err: error, login });
    }
  }

  return () => {
    const unnamed = view.unnamed(clock.now() - TOLD_AFTER_MS);
    const news = unnamed.filter(({ id }) => !told.has(id));
    told = new Set(unnamed.map(({ id }) => id));
    for (const seen of news) void tellOf(seen);
  };
}
