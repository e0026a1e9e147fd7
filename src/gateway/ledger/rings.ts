// Rings of other processes, left in the ledger for the one that has the home in hand: of commands, of fronts, and of hints. Like every ring they carry an id, and
// may be lost: whoever takes the home up looks at everything anyway.
import { prepared } from '#engines/prepared.ts';
import type { Topic } from '#engines/queue.ts';
import type { Rows } from './schema.ts';

/**
 * What rings for: a topic of the queue, an item that has `ended`, or one that a command begins `taking`: its file is renamed before its row is
 * written, and the command may be killed in between.
 */
export type RungTopic = Topic | 'ended' | 'taking';

export interface Ring {
  /** Whose work it is. */
  readonly home: string;
  readonly topic: string;
  readonly id: string;
}

export interface NewRing extends Ring {
  readonly topic: RungTopic;
}

/** Part of the transaction that makes the change. */
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
 * All that were left, in their order, whoever has their homes: each is there for a second or two, and to name some thousands of homes every
 * second takes more than to leave out what is for others.
 */
export function readRings(rows: Rows): Promise<LeftRing[]> {
  return left(rows, {});
}

/** A statement takes only so many values, and a command or an outage may leave more rings. */
const REMOVED_MAX = 1_000;

/** They were heard. */
export async function removeRings(rows: Rows, rings: readonly number[]): Promise<void> {
  for (let at = 0; at < rings.length; at += REMOVED_MAX) {
    await rows
      .deleteFrom('rings')
      .where('ring', 'in', rings.slice(at, at + REMOVED_MAX))
      .execute();
  }
}

export const LEFT_PAGE = 16;

/** Items of the same home, before this one and below another, that were left to be submitted; the newest first. */
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
