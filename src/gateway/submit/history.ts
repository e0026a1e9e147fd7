// What the attempts of an item tell: whether the service may have the document, since when that is open, how often what was tried.
import { IN_FLIGHT_TRIES, KEY_SAFE_MS, LOOK_AFTER_MS } from '#domain/retry.ts';
import { type Attempt, type AttemptOutcome, type Attempts, isDoubtful } from '#gateway/ledger/attempts.ts';

type Tries = Pick<Attempts, 'tries'>;

export function countOf({ tries }: Tries, ...outcomes: readonly AttemptOutcome[]): number {
  return tries.filter(({ outcome }) => outcomes.some((each) => each === outcome)).length;
}

/** Outcomes that tell nothing. */
const TOLD_NOTHING = [null, 'lost', 'unseen'] as const;

interface Silence {
  readonly tries: number;
  /** For how long it has been tried in vain. */
  readonly lastsMs: number;
}

/** Between two tries no more than this counts: a gateway that was off has not tried, nor has one whose clock was put forward. */
export const GAP_MS_MAX = 6 * 60 * 60_000;

/**
 * `hereMs`: for how long its account and family have been silent. With many items waiting each is tried rarely, so failed tries of the others count
 * for it, too.
 */
export function silenceIn({ tries }: Tries, now: number, hereMs = 0): Silence {
  const silent = tries.filter(({ outcome }) => TOLD_NOTHING.some((each) => each === outcome));
  const times = [...silent.map(({ at }) => at), now];
  const gaps = silent.map(({ at }, index) => Math.min(Math.max((times[index + 1] ?? at) - at, 0), GAP_MS_MAX));
  const ownMs = gaps.reduce((sum, gap) => sum + gap, 0);
  const first = silent.find(({ silenceMs }) => silenceMs !== null);
  return { tries: silent.length, lastsMs: Math.max(ownMs, hereMs - (first?.silenceMs ?? hereMs)) };
}

interface LookQuestion {
  readonly now: number;
  /** The family is sure to honour keys. */
  readonly keys: boolean;
  /** What is sent is at the service already, and is to be sent once more: to find it tells nothing. */
  readonly repeats: boolean;
}

/** Whether posting once more is safe only after a look at what the service has (submit-and-poll.md, step 5). */
export function mustLook(before: Tries, { now, keys, repeats }: LookQuestion): boolean {
  const open = before.tries.filter(isDoubtful);
  const [first] = open;
  if (!first) return false;
  if (repeats && keys && isWithin(first, now, KEY_SAFE_MS)) return false;
  const restarted = open.some(({ outcome }) => outcome === 'lost');
  return !keys || restarted || !isWithin(first, now, LOOK_AFTER_MS) || countOf(before, 'in-flight') >= IN_FLIGHT_TRIES;
}

/** A clock that was put back tells no age, and so no youth. */
function isWithin({ at }: Attempt, now: number, ms: number): boolean {
  return at <= now && now - at <= ms;
}
