// What other processes ring for: a core, that it has something new for an account; another node, that it has taken a file, or heard a hint, for a home that
// is in hand here. Of a ring only that is believed, and polling and sweeps go on as without.
import { isItemId } from '#domain/id.ts';
import type { Heard, Listening } from '#engines/bell.ts';
import { listenForRings, type QueueServer } from '#engines/open.ts';
import type { Queue, Topic } from '#engines/queue.ts';
import type { LedgerAccounts } from '#gateway/accounts/accounts.ts';
import type { Following } from '#gateway/follow/statuses.ts';
import { type Feed, feedId, feedOf } from '#gateway/model/feed.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { nextTurn } from '#gateway/model/share.ts';
import type { BellCoverage } from '#gateway/service/bell-coverage.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** What comes, comes in groups: within this time of a look, all that comes shares the next. Each feed has turns of its own, so that those that are rung for together are not looked at together for ever. */
const LOOK_EVERY_MS = 1_500;
/** Feeds and accounts of which the last look is known. */
const LOOKS_MAX = 100_000;

interface HearingParts {
  readonly accounts: { find(accountRegNo: string): object | undefined };
  readonly queue: Queue;
  readonly following: Pick<Following, 'ring'>;
  readonly clock: Clock;
}

/** Rings for accounts that are not here, and for what others have no business with, are dropped. */
export function hearFromOthers({ accounts, queue, following, clock }: HearingParts): Heard {
  const looks = new LruCache<{ readonly atMs: number }>(LOOKS_MAX);

  function look(topic: Topic, id: string): void {
    const key = `${topic} ${id}`;
    const now = clock.now();
    const last = looks.get(key)?.atMs ?? Number.NEGATIVE_INFINITY;
    const isRecent = Math.abs(now - last) < LOOK_EVERY_MS;
    const atMs = isRecent ? nextTurn(id, LOOK_EVERY_MS, now) : now;
    looks.put(key, { atMs });
    queue.ring(topic, id, atMs);
  }

  const ofFeed =
    (ring: (feed: Feed) => void) =>
    (id: string): void => {
      const feed = feedOf(id);
      if (feed && accounts.find(feed.accountRegNo)) ring(feed);
    };
  const heard: Partial<Record<Topic, (id: string) => void>> = {
    // What the database cannot read as a text would ring again and again.
    submit: (item) => isItemId(item) && queue.ring('submit', item),
    incoming: ofFeed((feed) => look('incoming', feedId(feed))),
    status: ofFeed(({ accountRegNo, family }) => following.ring(accountRegNo, family)),
    'turned-away': (accountRegNo) => accounts.find(accountRegNo) && look('turned-away', accountRegNo),
  };
  return (topic, id) => heard[topic]?.(id);
}

interface ListeningParts extends HearingParts {
  readonly accounts: Pick<LedgerAccounts, 'find' | 'all'>;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly incarnation: string;
  readonly bellCoverage: BellCoverage | null;
  readonly log: Log;
}

export interface ListeningForHomes extends Pick<Listening, 'close'> {
  /** These homes are about to be in hand: what is rung for their accounts comes here from now on, so that nothing comes between their first poll and the rings. */
  expect(homes: readonly string[]): void;
  /** Accounts were added to homes that are in hand. */
  expectAdded(): void;
  /** The home is about to be given up: who has it next is not known yet. */
  expectNoMore(home: string): void;
}

/** Listens where there is a server to listen at. */
export async function startListeningForRings(
  server: QueueServer | null | undefined,
  parts: ListeningParts,
): Promise<ListeningForHomes | undefined> {
  if (!server) return undefined;
  const { accounts, inHand, bellCoverage } = parts;
  const accountsOf = (isAsked: (home: string) => boolean): string[] =>
    accounts
      .all()
      .filter(({ home }) => isAsked(home))
      .map(({ accountRegNo }) => accountRegNo);
  const served = (): string[] => accountsOf((home) => inHand.has(home));
  const listening = await listenForRings(server, { ...parts, served, heard: hearFromOthers(parts), reached: bellCoverage?.listening });
  return {
    close: () => listening.close(),
    expect(homes) {
      const asked = new Set(homes);
      listening.serve(accountsOf((home) => asked.has(home)));
    },
    expectAdded: () => listening.serve(served()),
    expectNoMore: (home) => listening.leave(accountsOf((each) => each === home)),
  };
}
