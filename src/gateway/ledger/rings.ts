// Rings of other processes, left in the ledger for the one that has the home in hand: of commands, of fronts, and of hints. Like every ring they carry an
// id, and may be lost: a process that takes a home up looks at all its items.
import { inGroups } from '#domain/groups.ts';
import { prepared } from '#engines/prepared.ts';
import type { Topic } from '#engines/queue.ts';
import type { Rows } from './schema.ts';

/**
 * What a ring is about: a topic of the queue; `ended`: an item has ended; `taking`: a command takes a file into custody, and may be killed
 * between renaming the file and writing its row.
 */
type RingTopic = Topic | 'ended' | 'taking';

export interface Ring {
  /** The process that has this home in hand acts on it. */
  readonly home: string;
  readonly topic: string;
  readonly id: string;
}

interface NewRing extends Ring {
  readonly topic: RingTopic;
}

/** To be called in the transaction that makes the change. */
export async function leaveRing(rows: Rows, ring: NewRing): Promise<void> {
  await rows
    .insertInto('rings')
    .values({ ...ring })
    .execute();
}

/** Whether others have left so many for the home, at least. */
export async function hasRings(rows: Rows, home: string, least: number): Promise<boolean> {
  return (await rows.selectFrom('rings').select('ring').where('home', '=', home).limit(least).execute()).length === least;
}

export interface LeftRing extends Ring {
  readonly ring: number;
}

const left = prepared((rows: Rows) => rows.selectFrom('rings').selectAll().orderBy('ring'));

/**
 * All rings of all homes, in their order. Rings are removed within seconds, so there are few, and skipping those for other processes is
 * cheaper than a query that lists the thousands of homes in hand.
 */
export function readRings(rows: Rows): Promise<LeftRing[]> {
  return left(rows, {});
}

/** A statement takes only so many values, and a command or an outage may leave more rings. */
const REMOVED_MAX = 1_000;

/** Removes rings that were acted on. */
export async function removeRings(rows: Rows, rings: readonly number[]): Promise<void> {
  for (const some of inGroups(rings, REMOVED_MAX)) await rows.deleteFrom('rings').where('ring', 'in', some).execute();
}

export const LEFT_PAGE = 16;

/** Of the same home: items older than `item` and than `below` with a ring to be submitted, the newest first. */
export const readLeftBefore = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('rings')
    .select('id')
    .where('home', '=', rows.selectFrom('items').select('home').where('item', '=', slot<string>('item')))
    .where('topic', '=', 'submit')
    .where('id', '<', slot<string>('below'))
    .orderBy('id', 'desc')
    .limit(LEFT_PAGE),
);
