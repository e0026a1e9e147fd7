// What commands in other processes ring for is heard here within a second.
import type { Queue, Topic } from '#engines/queue.ts';
import { type Item, readItem } from '#gateway/ledger/items.ts';
import { readOwedOf } from '#gateway/ledger/publications.ts';
import { hasRings, type Ring, takeRings } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

const LISTEN_EVERY_MS = 1_000;
/** A command that has rung is at its end by then. */
const COMMAND_MS = 30_000;

export interface RungParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  /** A command has ended the item: the way in may forget it. */
  readonly ended: (item: Item) => void;
}

/** Topics of the queue that commands may ring for. */
const PASSED_ON: readonly Topic[] = ['submit', 'incoming', 'unread'];

/** Listens until it is disposed. What was rung for before a start, the start has seen to. */
export function listenForCommands(parts: RungParts): Disposable {
  const { ledger, clock, log } = parts;
  return every(
    clock,
    LISTEN_EVERY_MS,
    async () => {
      if (!(await hasRings(ledger.read))) return;
      for (const ring of await ledger.write(takeRings)) await pass(parts, ring);
    },
    (error) => log.error({ event: 'rings.unheard', err: error }),
  );
}

async function pass({ ledger, queue, clock, ended }: RungParts, { topic, id }: Ring): Promise<void> {
  const known = PASSED_ON.find((each) => each === topic);
  if (known) queue.ring(known, id);
  const item = topic === 'ended' ? await readItem(ledger.read, id) : undefined;
  if (!item) return;
  ended(item);
  // The command publishes what it owes; unless it was killed before that.
  for (const owed of await readOwedOf(ledger.read, id)) queue.ring('publish', String(owed), clock.now() + COMMAND_MS);
}
