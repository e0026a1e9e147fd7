// Rings of other processes, left in the ledger for the one that has the home in hand: of commands, and of fronts. Like every ring they carry an id, and
// may be lost: whoever takes the home up looks at everything anyway.
import type { Topic } from '#engines/queue.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
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

export async function hasRings(rows: Rows, homes: Homes): Promise<boolean> {
  return (await rows.selectFrom('rings').select('ring').where(among(homes)).limit(1).executeTakeFirst()) !== undefined;
}

/** All that were left for these homes, in their order; they are gone then. */
export async function takeRings(rows: Rows, homes: Homes): Promise<Ring[]> {
  const taken = await rows.deleteFrom('rings').where(among(homes)).returning(['ring', 'home', 'topic', 'id']).execute();
  return taken.sort((a, b) => a.ring - b.ring);
}
