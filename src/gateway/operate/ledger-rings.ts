// Other processes, commands and fronts that have taken files or heard hints for homes that are in hand here, leave rings in the ledger: the daemon hears
// them within a second or two, and finishes what a killed one began.
import type { Queue, Topic } from '#engines/queue.ts';
import { readSpoolOf } from '#gateway/disk/spool-files.ts';
import { lookForChangesEveryMs } from '#gateway/ledger/changes.ts';
import { readItem } from '#gateway/ledger/items.ts';
import { readOwedOf } from '#gateway/ledger/publications.ts';
import { type LeftRing, type Ring, readRings, removeRings } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import { adoptStrays } from '#gateway/spool/strays.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { tryLockStart } from '#runtime/files/lock.ts';
import type { Log } from '#runtime/log.ts';

/** What has rung for it has published it by then, unless it was killed. */
const PUBLISHED_MS = 30_000;

interface LedgerRingParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of items that a command has ended. */
  readonly ended: ItemEnded;
}

/** Topics of the queue that others may ring for. */
const PASSED_ON: readonly Topic[] = ['submit', 'incoming', 'status', 'unread'];

/** Listens until it is disposed. Rings from before the start are done: the start looked at all items. */
export function listenForLedgerRings(parts: LedgerRingParts): Disposable {
  const { data, ledger, inHand, clock, log } = parts;
  /** Items that commands have begun to take. */
  const taking = new Set<Ring>();
  /** They stay until the next time, for what is taken here meanwhile goes behind what they ring for. */
  let heard: ReadonlySet<number> = new Set();

  async function hear(rings: readonly LeftRing[]): Promise<void> {
    for (const ring of rings) {
      if (heard.has(ring.ring)) continue;
      if (ring.topic === 'taking') taking.add(ring);
      else await pass(parts, ring);
    }
    const old = rings.flatMap(({ ring }) => (heard.has(ring) ? [ring] : []));
    if (old.length > 0) await ledger.write([], (rows) => removeRings(rows, old));
    heard = new Set(rings.map(({ ring }) => ring));
  }

  async function listen(): Promise<void> {
    await hear((await readRings(ledger.read)).filter(({ home }) => inHand.has(home)));
    if (taking.size === 0) return;
    using idle = tryLockStart(data);
    // As long as a command runs, it is its own to finish.
    if (!idle) return;
    for (const ring of taking) {
      await finishTaking(parts, ring);
      taking.delete(ring);
    }
  }
  return every(clock, lookForChangesEveryMs(ledger), listen, (error) => log.error({ event: 'rings.unheard', err: error }));
}

/** A command that was killed after it had renamed a file into the spool has written no row. */
async function finishTaking(parts: LedgerRingParts, { home, id: item }: Ring): Promise<void> {
  const known = await readItem(parts.ledger.read, item);
  const file = known ? undefined : readSpoolOf(parts.data, home).find((each) => each.item === item);
  if (file) await adoptStrays(parts, [file]);
  if (known) parts.queue.ring('submit', item);
}

async function pass({ ledger, queue, clock, ended }: LedgerRingParts, { topic, id }: Ring): Promise<void> {
  const known = PASSED_ON.find((each) => each === topic);
  if (known) queue.ring(known, id);
  if (topic === 'publish') queue.ring(topic, id, clock.now() + PUBLISHED_MS);
  const item = topic === 'ended' ? await readItem(ledger.read, id) : undefined;
  if (!item) return;
  ended.tell(item, null);
  for (const owed of await readOwedOf(ledger.read, id)) queue.ring('publish', String(owed), clock.now() + PUBLISHED_MS);
}
