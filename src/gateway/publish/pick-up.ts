// Looks after outboxes and archives every hour: documents that have lain longer than their account wants go, and those that are not picked up are logged, once a day;
// days of the archive that are over are closed, and old ones removed.

import { dayOf } from '#domain/day.ts';
import { closeDays, thinArchive } from '#gateway/archive/chain.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { removeOld } from './old-file.ts';
import { type OutboxRules, type Waiting, waitingIn } from './outbox.ts';

const LOOK_EVERY_MS = 60 * 60_000;

export interface PickupParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly inHand: Pick<HomesInHand, 'run' | 'check'>;
  /** Accounts whose documents are archived, whatever home they have. */
  readonly accounts: () => readonly { readonly accountRegNo: string }[];
  readonly rules: (accountRegNo: string) => OutboxRules;
  /** Those of these files in the outbox of a home that a login has fetched, though they lie there. */
  readonly fetched: (home: string, names: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Documents that nobody has fetched for longer than their home's rules have it. */
export interface LateOutbox {
  readonly documents: number;
  readonly sinceMs: number;
}

export interface Pickup extends Disposable {
  /** By home, as the last look saw it; after the first one. */
  late(): Promise<ReadonlyMap<string, LateOutbox>>;
}

/** Looks every hour, and first when it starts. Dispose to stop. */
export function startPickup(parts: PickupParts): Pickup {
  const { clock, log } = parts;
  let late: ReadonlyMap<string, LateOutbox> = new Map();
  /** The day of the last alarm, by home. */
  const told = new Map<string, string>();
  const failed = (error: unknown): void => log.warn({ event: 'outbox.unseen', err: error });
  const look = async (): Promise<void> => {
    const found = new Map<string, LateOutbox>();
    for (const home of parts.homes()) {
      const look = async (): Promise<void> => {
        const outbox = await lookAfter(parts, home, told);
        if (outbox) found.set(home, outbox);
      };
      await parts.inHand.run(home, look).catch(failed);
    }
    late = found;
    for (const { accountRegNo } of parts.accounts()) {
      await closeDays(parts, accountRegNo).catch(failed);
      await thinArchive(parts, accountRegNo).catch(failed);
    }
  };
  const first = look().catch(failed);
  const timer = every(clock, LOOK_EVERY_MS, look, failed);
  return {
    late: async () => {
      await first;
      return late;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

async function lookAfter(parts: PickupParts, home: string, told: Map<string, string>): Promise<LateOutbox | null> {
  const { clock, log } = parts;
  const { keepOutbox, pickup } = parts.rules(home);
  if (keepOutbox === 0 && pickup === 0) return null;
  const isOlder = (ms: number) => (each: Waiting) => ms > 0 && each.sinceMs < clock.now() - ms;
  const lying = await inFolder(homeFolder(parts.data, home), ['outbox'], async (outbox) => {
    const waiting = await waitingIn(outbox);
    const over = waiting.filter(isOlder(keepOutbox));
    let removed = 0;
    for (const { name } of over) {
      parts.inHand.check();
      if (await removeOld(outbox, name, clock.now() - keepOutbox)) removed++;
    }
    if (removed > 0) log.info({ event: 'outbox.removed', home, removed });
    return waiting.slice(over.length).filter(isOlder(pickup));
  });
  const fetched = await parts.fetched(
    home,
    lying.map(({ name }) => name),
  );
  const late = lying.filter(({ name }) => !fetched.has(name));
  const [oldest] = late;
  if (!oldest) return null;
  const found = { documents: late.length, sinceMs: oldest.sinceMs };
  const today = dayOf(clock.now());
  if (told.get(home) === today) return found;
  told.set(home, today);
  log.error({ event: 'outbox.not-picked-up', home, documents: late.length, since: new Date(oldest.sinceMs).toISOString() });
  return found;
}
