// Who looks after what in the gateway.
import type { Alarm, Watcher } from '#domain/alarm.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { LateOutbox, Pickup } from '#gateway/publish/pick-up.ts';
import type { Clock } from '#runtime/clock.ts';
import { lookAtDocuments, refusals } from './documents.ts';
import type { Memory } from './memory.ts';
import { serviceAlarms } from './service.ts';
import { silentAccounts } from './silent-accounts.ts';

interface WatcherParts {
  readonly memory: Memory;
  readonly ledger: Ledger;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly clock: Clock;
  /** Documents that nobody has fetched, by home, of those in hand. */
  readonly late: Pickup['late'];
  readonly inHand: Pick<HomesInHand, 'has'>;
  /** Of nodes, whether this one looks after what they share. */
  readonly isFirst?: (() => Promise<boolean>) | undefined;
}

/** `rhythm`: whether accounts that are silent are told; asked at each look. */
export function gatewayWatchers(parts: WatcherParts, rhythm: () => 'learn' | 'off'): Watcher[] {
  const { memory, ledger, clock } = parts;
  const refused = refusals(ledger, memory);
  const silent = silentAccounts(parts, memory);
  const shared: Watcher[] = [
    {
      kinds: ['refused', 'held'],
      async look() {
        // What the last looks have told is in the book by now.
        await memory.keep();
        return lookAtDocuments(ledger, refused);
      },
    },
    { kinds: ['service-silent'], look: async () => ({ stands: await serviceAlarms(ledger, memory, clock) }) },
    { kinds: ['account-silent'], look: async () => ({ stands: rhythm() === 'learn' ? await silent() : [] }) },
  ];
  return [...(parts.isFirst ? ofFirst(shared, parts.isFirst, memory) : shared), outboxWatcher(parts)];
}

/** Each node knows of the outboxes whose homes it has: of the others it neither tells that documents lie there nor that they have gone. */
function outboxWatcher({ late, inHand }: Pick<WatcherParts, 'late' | 'inHand'>): Watcher {
  return {
    kinds: ['not-fetched'],
    look: async () => ({ stands: lateAlarms(await late()), isElsewhere: (home) => !inHand.has(home) }),
  };
}

/** The first of the nodes looks at what all of them read from one ledger. Where another has been the first, it goes on from what that one remembered. */
function ofFirst(watchers: readonly Watcher[], isFirst: () => Promise<boolean>, memory: Memory): Watcher[] {
  return watchers.map(({ kinds, look }) => ({
    kinds,
    async look() {
      if (!(await isFirst())) return { stands: [], isElsewhere: () => true };
      memory.begin();
      return look();
    },
  }));
}

function lateAlarms(late: ReadonlyMap<string, LateOutbox>): Alarm[] {
  return [...late].map(([subject, { documents, sinceMs }]) => ({
    kind: 'not-fetched',
    subject,
    sentence: `${counted(documents, 'document lies', 'documents lie')} in its outbox and nobody fetches ${documents === 1 ? 'it' : 'them'}, the oldest since ${isoTime(sinceMs)}: ask its people, and look at 'dropgate connections --failed'.`,
  }));
}
