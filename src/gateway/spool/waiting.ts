// Files that were closed under a temporary name: after a while a receipt reports that they still wait for their real one.
import type { HomesInHand } from '#gateway/model/homes.ts';
import { waitsForName } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Clock } from '#runtime/clock.ts';
import { digestFile } from '#runtime/files/durable.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { InboxView, Seen } from './view.ts';

const REPORTED_AFTER_MS = 10 * 60_000;

interface WaitingParts {
  readonly view: InboxView;
  /** Another node has brought it to itself. */
  readonly hasGone: (seen: Seen) => boolean;
  readonly inHand: Pick<HomesInHand, 'has' | 'run'>;
  readonly clock: Clock;
  readonly lines: LogLines;
  readonly finisher: Pick<Finisher, 'notify'>;
  /** How long a file may wait for its real name. */
  readonly settings: { readonly partialsKept: number };
}

/** Returns what looks for such files: to be called from time to time. */
export function lookForWaiting({ view, hasGone, inHand, clock, lines, finisher, settings }: WaitingParts): () => void {
  let reported = new Set<string>();

  async function report({ id: item, home, login, name: fileName, mtimeMs: receivedAt, path }: Seen): Promise<void> {
    try {
      // In a home of several accounts it is not known yet whose it is. The receipt is published once, however often it is asked for.
      const subject = { item, accountRegNo: home, home, login, fileName, sha256: await digestFile(path), receivedAt, head: null };
      await finisher.notify(subject, waitsForName(settings.partialsKept));
      lines.info({ event: 'upload.waits', upload: item, home, login });
    } catch (error) {
      reported.delete(item);
      lines.warn({ event: 'upload.unreported', upload: item, home, err: error, login });
    }
  }

  return () => {
    const unnamed = view.unnamed(clock.now() - REPORTED_AFTER_MS);
    const fresh = unnamed.filter((seen) => !reported.has(seen.id) && !hasGone(seen));
    reported = new Set(unnamed.map(({ id }) => id));
    // Where another node has the home, it publishes what is told here.
    for (const seen of fresh) void (inHand.has(seen.home) ? inHand.run(seen.home, () => report(seen)) : report(seen));
  };
}
