// Commands, and other nodes that have taken files or heard hints for homes that are in hand here, leave rings in the ledger: the daemon hears them within seconds, those of
// operations that it ran itself at once, and finishes what a killed command began.
import type { Queue, Topic } from '#engines/queue.ts';
import { readSpoolOf } from '#gateway/disk/spool-files.ts';
import { readItem } from '#gateway/ledger/items.ts';
import { readOwedOf } from '#gateway/ledger/publications.ts';
import { type Ring, readRings, removeRings } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import { adoptStrays } from '#gateway/spool/strays.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { tryLockStart } from '#runtime/files/lock.ts';
import type { Log } from '#runtime/log.ts';

/** Commands leave rings only where they found no daemon. */
const LISTEN_EVERY_MS = { withOtherNodes: 1_000, alone: 6_000 };
/** What has rung for it has published it by then, unless it was killed. */
const PUBLISHED_MS = 30_000;

export interface NotificationParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly hasOtherNodes: boolean;
  /** Told of items that a command has ended. */
  readonly ended: ItemEnded;
}

/** Topics of the queue that others may ring for. */
const PASSED_ON: readonly Topic[] = ['submit', 'incoming', 'status', 'unread'];

export interface Commands extends Disposable {
  /** Passes on now what was left. Never rejects. */
  hear(): Promise<void>;
}

/** Listens until it is disposed. Rings from before the start are done: the start looked at all items. */
export function listenForCommands(parts: NotificationParts): Commands {
  const { data, ledger, inHand, hasOtherNodes, clock, log } = parts;
  /** Items that commands have begun to take. */
  const taking = new Set<Ring>();
  /** Until they are removed. */
  const passedOn = new Set<number>();
  /** As the last look found them. They stay until the next, for what is taken here meanwhile goes behind what they ring for. */
  let found: readonly number[] = [];

  async function passOn(): Promise<readonly number[]> {
    const rings = (await readRings(ledger.read)).filter(({ home }) => inHand.has(home));
    for (const ring of rings) {
      if (passedOn.has(ring.ring)) continue;
      if (ring.topic === 'taking') taking.add(ring);
      else await pass(parts, ring);
      passedOn.add(ring.ring);
    }
    return rings.map(({ ring }) => ring);
  }

  async function listen(): Promise<void> {
    const left = await passOn();
    if (found.length > 0) await ledger.write([], (rows) => removeRings(rows, found));
    for (const ring of found) passedOn.delete(ring);
    found = left.filter((ring) => !found.includes(ring));
    if (taking.size === 0) return;
    using idle = tryLockStart(data);
    // As long as a command runs, it is its own to finish.
    if (!idle) return;
    for (const ring of taking) {
      await finishTaking(parts, ring);
      taking.delete(ring);
    }
  }

  const inTurn = new KeyedMutex();
  const failed = (error: unknown): void => log.error({ event: 'rings.unheard', err: error });
  const periodMs = hasOtherNodes ? LISTEN_EVERY_MS.withOtherNodes : LISTEN_EVERY_MS.alone;
  const timer = every(clock, periodMs, () => inTurn.run('rings', listen), failed);
  return {
    [Symbol.dispose]: () => timer[Symbol.dispose](),
    hear: () => inTurn.run('rings', passOn).then(() => undefined, failed),
  };
}

/** A command that was killed after it had renamed a file into the spool has written no row. */
async function finishTaking(parts: NotificationParts, { home, id: item }: Ring): Promise<void> {
  const known = await readItem(parts.ledger.read, item);
  const file = known ? undefined : readSpoolOf(parts.data, home).find((each) => each.item === item);
  if (file) await adoptStrays(parts, [file]);
  if (known) parts.queue.ring('submit', item);
}

async function pass({ ledger, queue, clock, ended }: NotificationParts, { topic, id }: Ring): Promise<void> {
  const known = PASSED_ON.find((each) => each === topic);
  if (known) queue.ring(known, id);
  if (topic === 'publish') queue.ring(topic, id, clock.now() + PUBLISHED_MS);
  const item = topic === 'ended' ? await readItem(ledger.read, id) : undefined;
  if (!item) return;
  ended.tell(item, null);
  for (const owed of await readOwedOf(ledger.read, id)) queue.ring('publish', String(owed), clock.now() + PUBLISHED_MS);
}
