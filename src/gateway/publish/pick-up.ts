// Looks after outboxes and archives every hour: documents that have lain longer than their account wants go, and those that are not picked up are logged, once a day;
// days of the archive that are over are closed, and old ones removed.

import { dayOf, isoTime } from '#domain/day.ts';
import { closeDays, thinArchive } from '#gateway/archive/chain.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { readFetchedNames } from '#gateway/ledger/fetches.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { textOf } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { expire } from './expire.ts';
import { type OutboxRules, type Waiting, waitingIn } from './outbox.ts';

const LOOK_EVERY_MS = 60 * 60_000;

interface PickupParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly homes: () => readonly string[];
  readonly inHand: Pick<HomesInHand, 'has' | 'run' | 'check'>;
  /**
   * Accounts that have an archive, served or not. `home`: who has it in hand has the archive, too; null of an account that was removed. `archive`: for how long it
   * is kept.
   */
  readonly accounts: () => Promise<readonly { readonly accountRegNo: string; readonly home: string | null; readonly archive: number }[]>;
  readonly rules: (accountRegNo: string) => OutboxRules;
  readonly clock: Clock;
  readonly log: Log;
}

/** Documents that nobody has fetched for longer than their home's rules have it. */
export interface LateOutbox {
  readonly documents: number;
  readonly sinceMs: number;
}

export interface Pickup extends AsyncDisposable {
  /** By home, of those in hand, as the last look saw it; a home that was taken up since then is looked at first. */
  late(): Promise<ReadonlyMap<string, LateOutbox>>;
}

/** Looks every hour, and first when it starts. Dispose to stop: resolves when nothing is written any more. */
export function startPickup(parts: PickupParts): Pickup {
  const { inHand, clock, log } = parts;
  /** By home in hand: its late documents; null where nothing is late. */
  let seen = new Map<string, LateOutbox | null>();
  /** The day of the last alarm, by home. */
  const told = new Map<string, string>();
  const failed = (error: unknown): void => log.warn({ event: 'outbox.unseen', err: error });
  const looking = new KeyedMutex();
  const stopping = new AbortController();

  /** `atAll`: also at homes that were looked at before. */
  const lookAtOutboxes = async (atAll: boolean): Promise<void> => {
    const homes = parts.homes().filter((home) => inHand.has(home));
    // Forget homes that this process no longer has in hand.
    seen = new Map(homes.flatMap((home) => (seen.has(home) ? [[home, seen.get(home) ?? null]] : [])));
    for (const home of homes) {
      if (stopping.signal.aborted) return;
      if (!atAll && seen.has(home)) continue;
      const look = async (): Promise<void> => void seen.set(home, await lookAfter(parts, home, told, stopping.signal));
      await inHand.run(home, look).catch(failed);
    }
  };
  const lookAtArchives = async (): Promise<void> => {
    for (const { accountRegNo, home, archive } of await parts.accounts()) {
      const keep = async (): Promise<void> => {
        await closeDays(parts, accountRegNo).catch(failed);
        await thinArchive(parts, accountRegNo, archive).catch(failed);
      };
      await (home === null ? keep() : inHand.run(home, keep));
    }
  };
  const inOutboxes = (atAll: boolean): Promise<void> => looking.run('outboxes', () => lookAtOutboxes(atAll));
  const look = (): Promise<void> =>
    looking.run('all', async () => {
      await inOutboxes(true);
      await lookAtArchives();
    });
  void look().catch(failed);
  const timer = every(clock, LOOK_EVERY_MS, look, failed);
  return {
    async late() {
      await looking.run('all', () => inOutboxes(false));
      return new Map([...seen].flatMap(([home, late]) => (late && inHand.has(home) ? [[home, late]] : [])));
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      timer[Symbol.dispose]();
      // Behind the look under way, but for that at archives, which may take long; of itself it looks at nothing any more.
      await inOutboxes(false);
    },
  };
}

async function lookAfter(parts: PickupParts, home: string, told: Map<string, string>, stopping: AbortSignal): Promise<LateOutbox | null> {
  const { clock, log, ledger } = parts;
  const { keepOutbox, pickup } = parts.rules(home);
  if (keepOutbox === 0 && pickup === 0) return null;
  const isOlder = (ms: number) => (each: Waiting) => ms > 0 && each.sinceMs < clock.now() - ms;
  const lying = await inFolder(homeFolder(parts.data, home), ['outbox'], async (outbox) => {
    const waiting = await waitingIn(outbox);
    const over = waiting.filter(isOlder(keepOutbox)).map(({ name }) => name);
    const removed = await expire(parts, outbox, over, { home, folder: 'outbox', keepMs: keepOutbox, stopping });
    if (removed > 0) log.info({ event: 'outbox.removed', home, removed });
    return waiting.slice(over.length).filter(isOlder(pickup));
  });
  // Though they lie there.
  const fetched = await readFetchedNames(
    ledger.read,
    home,
    lying.map(({ name }) => textOf(name)),
  );
  const late = lying.filter(({ name }) => !fetched.has(textOf(name)));
  const [oldest] = late;
  if (!oldest) return null;
  const found = { documents: late.length, sinceMs: oldest.sinceMs };
  const today = dayOf(clock.now());
  if (told.get(home) === today) return found;
  told.set(home, today);
  log.error({ event: 'outbox.not-picked-up', home, documents: late.length, since: isoTime(oldest.sinceMs) });
  return found;
}
