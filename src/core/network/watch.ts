// Looks each participant of an account up once a day, as another sender would, and keeps and logs the differences.

import { accountOfParticipant } from '#core/ledger/accounts.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import {
  claimWatched,
  endDifferences,
  enrolParticipants,
  insertDifferences,
  type KeptDifference,
  recordLook,
  selectDueWatched,
  selectWatched,
  type Watched,
} from '#core/ledger/watched.ts';
import { isoTime } from '#domain/day.ts';
import type { Random } from '#domain/id.ts';
import { jittered, LOOKUP_OF_OURS_WAITS_MS, waitAfter } from '#domain/retry.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { nextLookAt } from './schedule.ts';
import { type Survey, type Surveyed, twinOf } from './survey.ts';

interface WatchParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What others bear: a day has room for 100,000 participants. */
const AT_ONCE_MAX = 4;
const PER_MINUTE_MAX = 120;
/** Longer than a look-up lasts: that of a core which ended in the middle is begun again after it. */
export const HELD_MS = 5 * MINUTE;
const ENROLLED_AT_ONCE_MAX = 5_000;
/** Shorter outages are common, and senders' retries outlast them: they are no alarm. */
const UNANSWERED_MS_MAX = 4 * HOUR;
/** Characters of an error's message that are kept. */
const REASON_CHARACTERS_MAX = 500;
const NO_ANSWER: KeptDifference = { what: 'no-answer', detail: '' };

/** Looks participants up as they come due, each at one core of the ledger. Dispose to stop; look-ups that are under way end first. */
export async function startWatching(parts: WatchParts, survey: Survey): Promise<AsyncDisposable> {
  const { ledger, clock, log } = parts;
  const enrol = (): Promise<void> =>
    ledger.write(['administration'], (rows) =>
      enrolParticipants(rows, (participant) => nextLookAt(participant, clock.now()), ENROLLED_AT_ONCE_MAX),
    );
  let stopped = false;
  let sweeping = Promise.resolve();
  const sweep = async (): Promise<void> => {
    const dueAt = clock.now();
    const due = await selectDueWatched(ledger.read, dueAt, PER_MINUTE_MAX);
    // Each only when its turn comes, so that other cores look up what this one has not begun.
    const claim = ({ participant }: Watched): Promise<boolean> =>
      ledger.write([], (rows) => claimWatched(rows, participant, { dueAt, heldUntil: clock.now() + HELD_MS }));
    await lookAtAll(parts, survey, due, async (watched) => !stopped && claim(watched));
  };

  await enrol();
  const failed = (error: unknown): void => log.error({ event: 'network.watch-failed', err: error });
  const timers = [every(clock, HOUR, enrol, failed), every(clock, MINUTE, () => (sweeping = sweep()), failed)];
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const timer of timers) timer[Symbol.dispose]();
      await sweeping.catch(() => undefined);
    },
  };
}

/** Looks the participants of an account up now, or of all accounts, so many at the most, whenever they are due. */
export async function lookNow(parts: WatchParts, survey: Survey, accountRegNo: string | null, limit: number): Promise<void> {
  await lookAtAll(parts, survey, await selectWatched(parts.ledger.read, accountRegNo, limit), async () => true);
}

async function lookAtAll(
  parts: WatchParts,
  survey: Survey,
  all: readonly Watched[],
  mayLook: (watched: Watched) => Promise<boolean>,
): Promise<void> {
  const places = new Semaphore(AT_ONCE_MAX);
  const looks = all.map((watched) =>
    places.run(async () => {
      if (await mayLook(watched)) await lookAt(parts, survey, watched);
    }),
  );
  // A failure must not leave the other look-ups behind, running.
  for (const { reason } of (await Promise.allSettled(looks)).filter((look) => look.status === 'rejected')) throw reason;
}

async function lookAt(parts: WatchParts, survey: Survey, watched: Watched): Promise<void> {
  const { participant, firstAddress } = watched;
  const twin = twinOf(participant);
  const isOwn = twin !== null && (await accountOfParticipant(parts.ledger.read, twin)) !== undefined;
  let surveyed: Surveyed;
  try {
    surveyed = await survey({ participant, firstAddress, twin: isOwn ? null : twin });
  } catch (error) {
    return recordFailure(parts, watched, error);
  }
  await recordSurvey(parts, watched, surveyed);
}

async function recordSurvey(parts: WatchParts, watched: Watched, surveyed: Surveyed): Promise<void> {
  const { ledger, clock, log } = parts;
  const { participant, accountRegNo } = watched;
  const { differences, address, certificateEndsAt } = surveyed;
  const now = clock.now();
  const ended = await ledger.write([`account ${accountRegNo}`], async (rows) => {
    const answered = { lookedUpAt: now, nextLookAt: nextLookAt(participant, now), failures: 0, failingSince: null, reason: null };
    await recordLook(rows, participant, { ...answered, address, certificateEndsAt });
    await insertDifferences(rows, participant, differences, now);
    return endDifferences(rows, participant, differences);
  });
  for (const each of differences) log.error({ event: 'network.difference', accountRegNo, participant, ...each });
  for (const each of ended) log.info({ event: 'network.difference-ended', accountRegNo, participant, ...each });
}

/** A failed look-up changes no known difference; the failure itself becomes a difference when it lasts. */
async function recordFailure({ ledger, clock, random, log }: WatchParts, watched: Watched, error: unknown): Promise<void> {
  const { participant, accountRegNo } = watched;
  const now = clock.now();
  const failingSince = watched.failingSince ?? now;
  const failures = watched.failures + 1;
  const lasts = now - failingSince >= UNANSWERED_MS_MAX;
  const reason = error instanceof Error ? error.message.slice(0, REASON_CHARACTERS_MAX) : null;
  await ledger.write([`account ${accountRegNo}`], async (rows) => {
    await recordLook(rows, participant, {
      nextLookAt: now + jittered(waitAfter(LOOKUP_OF_OURS_WAITS_MS, failures), random),
      failures,
      failingSince,
      reason,
    });
    if (lasts) await insertDifferences(rows, participant, [NO_ANSWER], now);
  });
  const fields = { accountRegNo, participant, failingSince: isoTime(failingSince), err: error };
  if (lasts) log.error({ event: 'network.difference', ...NO_ANSWER, ...fields });
  else log.warn({ event: 'network.look-postponed', ...fields });
}
