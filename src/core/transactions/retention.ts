// Messages leave the core's ledger when their time is over, a few at a time with a rest between, so that no request waits for it.
import { listsOf } from '#core/ledger/message-lists.ts';
import { beginsBefore, deleteOldest, deleteStrayResponses, selectKept } from '#core/ledger/retention.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import { repeatInSteps } from '#runtime/in-steps.ts';
import type { Log } from '#runtime/log.ts';

interface RetentionParts {
  readonly ledger: Ledger;
  /** For how long messages are kept where their account has not said; null is for ever. */
  readonly keepMessages: () => number | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks every few hours. Dispose to stop. */
export function startRetention(parts: RetentionParts): AsyncDisposable {
  const { clock, log } = parts;
  return repeatInSteps(
    clock,
    () => deleteWhatIsOver(parts),
    (error) => log.warn({ event: 'core.retention-failed', err: error }),
  );
}

/** A step at a time; yields behind each, and behind each account. */
async function* deleteWhatIsOver({ ledger, keepMessages, clock, log }: RetentionParts): AsyncGenerator<void> {
  let deleted = 0;
  for (const { accountRegNo, keepMessages: own } of await selectKept(ledger.read)) {
    const period = own ?? keepMessages() ?? 0;
    if (period === 0) continue;
    for (const list of listsOf(accountRegNo)) {
      const beforeMs = clock.now() - period;
      if (!(await beginsBefore(ledger.read, list, beforeMs))) continue;
      for (let count = -1; count !== 0; deleted += count) {
        count = await ledger.write([`account ${accountRegNo}`], (rows) => deleteOldest(rows, list, beforeMs));
        yield;
      }
    }
    yield;
  }
  // Whose they would be nobody knows.
  const period = keepMessages();
  if (period !== null) {
    const beforeMs = clock.now() - period;
    while ((await ledger.write([], (rows) => deleteStrayResponses(rows, beforeMs))) > 0) yield;
  }
  if (deleted > 0) log.info({ event: 'core.retention-deleted', messages: deleted });
}
