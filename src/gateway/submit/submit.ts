// Submitting: every pending item is brought to the service, once (submit-and-poll.md). Here: the bell and the sweeps. Who goes first is decided
// in scheduler.ts, what happens to one item in turn.ts.
import type { Queue } from '#engines/queue.ts';
import { endPausesBegunAfter } from '#gateway/ledger/circuit-breaker.ts';
import { isAnyDue, readDue } from '#gateway/ledger/due-items.ts';
import { endWaitsBegunAfter } from '#gateway/ledger/item-waits.ts';
import { readForgotten } from '#gateway/ledger/pair-order.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { CircuitBreaker, EVERYWHERE } from './circuit-breaker.ts';
import { Endings } from './endings.ts';
import { Releases } from './releases.ts';
import { openSuggestions } from './suggest.ts';
import { TakenElsewhere } from './taken-elsewhere.ts';
import { SubmitTurns, type TurnParts } from './turn.ts';

/** How often it is swept for what nobody has rung for: where other nodes ring, through what may lose it, more often than where memory rings alone. */
const SWEEP_MS = { alone: 5_000, amongNodes: 2_000 } as const;
/** As many items as the service may take in the time between two sweeps, and more. */
const SWEEP_ITEMS_MAX = 2_500;
/** Items whose blocker has ended without a ring are looked for once in so long. */
const FORGOTTEN_EVERY_MS = 20_000;
/** The bell only hands items to the scheduler. */
const RINGS_AT_ONCE = 64;

interface SubmitParts extends Omit<TurnParts, 'breaker' | 'short' | 'releases' | 'endings' | 'suggest' | 'elsewhere'> {
  /** Other nodes take files for homes that are in hand here, too. */
  readonly hasOtherNodes: boolean;
}

export interface Submitter {
  /** The service is there: what waits because it was silent goes on, a few at a time. */
  heard(): void;
  /** Accounts have changed, perhaps the key for which one rested. */
  wake(): void;
  /** Takes the home in hand once it is known what waits for it, which gets its turns before what comes meanwhile. */
  takeUp(home: string, waiting: Promise<readonly Item[]>): Promise<void>;
  /** Resolves when what has been answered is finished; call it after the queue was closed. */
  close(): Promise<void>;
}

/** Answers the bell for items, and rings it for all whose time has come. */
export function startSubmitting(parts: SubmitParts): Submitter {
  const { ledger, inHand, queue, clock, log } = parts;
  const breaker = new CircuitBreaker(clock.now);
  const releases = new Releases(parts);
  const endings = new Endings(parts, releases);
  const elsewhere = parts.hasOtherNodes ? new TakenElsewhere(ledger) : null;
  const turns = new SubmitTurns({ ...parts, breaker, short: new Map(), releases, endings, suggest: openSuggestions(parts), elsewhere });
  queue.answer('submit', RINGS_AT_ONCE, turns.enqueue);
  const everyMs = SWEEP_MS[parts.hasOtherNodes ? 'amongNodes' : 'alone'];
  const sweeping = startSweeping({ ledger, inHand, queue, clock, log, everyMs, releases, answered: endings.answered });
  return {
    heard: () => releases.release(breaker.answered(EVERYWHERE)),
    wake: () => turns.scheduler.wake(),
    takeUp: (home, waiting) => turns.takeUp(home, waiting),
    async close() {
      sweeping[Symbol.dispose]();
      await turns.scheduler.close();
      await endings.close();
    },
  };
}

interface SweepParts {
  readonly ledger: Ledger;
  readonly inHand: HomesInHand;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs: number;
  readonly releases: Releases;
  readonly answered: ReadonlySet<string>;
}

/** Rings for what is due: rings may be lost, and a clock put back. */
function startSweeping({ ledger, inHand, queue, clock, log, everyMs, releases, answered }: SweepParts): Disposable {
  const sweepsPerLook = FORGOTTEN_EVERY_MS / everyMs;
  let sweeps = 0;
  let sweptAt = Number.POSITIVE_INFINITY;
  /** Where the next sweep goes on, so that none is passed over, however many are due. */
  let after = '';

  async function sweep(): Promise<void> {
    const now = clock.now();
    if (now < sweptAt) await forgetFuture(now);
    sweptAt = now;
    const due = (await isAnyDue(ledger.read, now)) ? await readDue(ledger.read, inHand.all, { now, after, limit: SWEEP_ITEMS_MAX }) : [];
    after = due.length < SWEEP_ITEMS_MAX ? '' : (due.at(-1) ?? '');
    for (const item of due) if (!answered.has(item)) queue.ring('submit', item);
    if (++sweeps % sweepsPerLook === 0) releases.release(await readForgotten(ledger.read, inHand.all, SWEEP_ITEMS_MAX));
    await releases.postponeAgain();
  }

  /** The clock was put back, or was fast when the process before this one ran: no item waits for what that has called the future. */
  async function forgetFuture(now: number): Promise<void> {
    await ledger.write([], async (rows) => {
      await endWaitsBegunAfter(rows, inHand.all, now);
      await endPausesBegunAfter(rows, inHand.all, now);
    });
  }

  return every(clock, everyMs, sweep, (error) => log.error({ event: 'submit.sweep-failed', err: error }));
}
