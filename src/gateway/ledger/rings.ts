// Rings of commands in other processes, left in the ledger for the daemon. Like every ring they carry an id, and may be lost: a start looks
// at everything anyway.
import type { Topic } from '#engines/queue.ts';
import type { Rows } from './schema.ts';

/**
 * What rings for: a topic of the queue, an item that has `ended`, or one that a command begins `taking` (HOME/ITEM): its file is renamed before
 * its row is written, and the command may be killed in between.
 */
export type RungTopic = Topic | 'ended' | 'taking';

export interface Ring {
  readonly topic: string;
  readonly id: string;
}

/** Part of the transaction that makes the change. */
export async function leaveRing(rows: Rows, topic: RungTopic, id: string): Promise<void> {
  await rows.insertInto('rings').values({ topic, id }).execute();
}

export async function hasRings(rows: Rows): Promise<boolean> {
  return (await rows.selectFrom('rings').select('ring').limit(1).executeTakeFirst()) !== undefined;
}

/** All that were left, in their order; they are gone then. */
export async function takeRings(rows: Rows): Promise<Ring[]> {
  const taken = await rows.deleteFrom('rings').returning(['ring', 'topic', 'id']).execute();
  return taken.sort((a, b) => a.ring - b.ring);
}
