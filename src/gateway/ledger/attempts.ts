// Attempts in the ledger: a row before the first byte goes out; an outcome only when it is known.
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

/**
 * What is known of an attempt that did not end its item. Null: nothing, its answer has not come, or never will; `lost`: nothing, and the
 * process that made it has ended; `in-flight`: the service was working on an earlier one; `unseen`: nothing was posted, for the service
 * could not say what it has. The others say that the service did not take the document.
 */
export type AttemptOutcome = null | 'lost' | 'in-flight' | 'unseen' | 'no-receiver' | 'paused' | 'key-renewed';

/** Of these the document may be at the service, beside null: an item with such an attempt is under way. */
export const DOUBTFUL = ['lost', 'in-flight'] as const;
/** What became of it was never known; a person has looked since. */
const GIVEN_UP = 'held';

export interface Attempt {
  readonly at: number;
  /** As in AttemptOutcome; the attempt that ended the item has its stage. */
  readonly outcome: string | null;
  /** For how long the service had been silent by then (circuit-breaker.ts). */
  readonly silenceMs: number | null;
}

export interface Attempts {
  /** How many are known. */
  readonly count: number;
  /** The number that the next one has. */
  readonly next: number;
  /** Oldest first: those since the item was last sent on its way. */
  readonly tries: readonly Attempt[];
  /** One of these may have got through. */
  readonly isOpen: boolean;
}

const attemptsOfItem = prepared((rows: Rows, slot) =>
  rows.selectFrom('attempts').select(['number', 'at', 'outcome', 'silence_ms']).where('item', '=', slot<string>('item')).orderBy('number'),
);

export async function readAttempts(rows: Rows, item: string): Promise<Attempts> {
  const found = await attemptsOfItem(rows, { item });
  const since = found.slice(found.findLastIndex(({ outcome }) => outcome === GIVEN_UP) + 1);
  const tries = since.map(({ at, outcome, silence_ms }) => ({ at, outcome, silenceMs: silence_ms }));
  return {
    count: found.length,
    next: (found.at(-1)?.number ?? 0) + 1,
    tries,
    isOpen: tries.some(isDoubtful),
  };
}

/** Whether the document may be at the service by this attempt. */
export function isDoubtful({ outcome }: Pick<Attempt, 'outcome'>): boolean {
  return outcome === null || DOUBTFUL.some((each) => each === outcome);
}

const newAttempt = preparedChange((rows: Rows, slot) =>
  rows.insertInto('attempts').values({ item: slot<string>('item'), number: slot<number>('number'), at: slot<number>('at'), outcome: null }),
);

export async function insertAttempt(rows: Rows, item: string, number: number, at: number): Promise<void> {
  await newAttempt(rows, { item, number, at });
}

/** Of an item that waits for months, for a key or a receiver, so many fruitless attempts are kept: the last ones. */
const FRUITLESS_KEPT = 50;

/** What is known of one attempt now. */
export async function noteAttempt(rows: Rows, item: string, number: number, outcome: AttemptOutcome, now: number): Promise<void> {
  await rows.updateTable('attempts').set({ outcome, ended_at: now }).where('item', '=', item).where('number', '=', number).execute();
  if (isDoubtful({ outcome })) return;
  await rows
    .deleteFrom('attempts')
    .where('item', '=', item)
    .where('number', '<=', number - FRUITLESS_KEPT)
    .where('outcome', '=', outcome)
    .execute();
}

/** It was none: the service had no time for the request. */
export async function deleteAttempt(rows: Rows, item: string, number: number): Promise<void> {
  await rows.deleteFrom('attempts').where('item', '=', item).where('number', '=', number).execute();
}

const closeOpen = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('attempts')
    .set((e) => ({
      outcome: slot<string>('outcome'),
      // Of those that were lost it was never known.
      ended_at: e.case().when('outcome', 'is', null).then(slot<number>('now')).else(e.ref('ended_at')).end(),
    }))
    .where('item', '=', slot<string>('item'))
    .where((e) => e.or([e('outcome', 'is', null), e('outcome', 'in', [...DOUBTFUL])])),
);

/** The item has ended, so no attempt of it is open any more. */
export async function closeAttempts(rows: Rows, item: string, outcome: string, now: number): Promise<void> {
  await closeOpen(rows, { item, outcome, now });
}

/** These homes are taken up: what was under way in the process that worked for them before will never be answered. */
export async function loseAttempts(rows: Rows, homes: Homes): Promise<void> {
  await rows
    .updateTable('attempts')
    .set({ outcome: 'lost' })
    .where('outcome', 'is', null)
    .where('item', 'in', (e) => e.selectFrom('items').select('item').where('state', '=', 'pending').where(among(homes)))
    .execute();
}
