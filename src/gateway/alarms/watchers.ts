// Who looks after what in the gateway.
import type { Watcher } from '#domain/alarm.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Clock } from '#runtime/clock.ts';
import { lookAtDocuments, refusals } from './documents.ts';
import { Memory } from './memory.ts';
import { serviceAlarms } from './service.ts';
import { silentAccounts } from './silent-accounts.ts';

export interface WatcherParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly clock: Clock;
}

/** `rhythm`: whether accounts that are silent are told; asked at each look. */
export function gatewayWatchers(parts: WatcherParts, rhythm: () => 'learn' | 'off'): Watcher[] {
  const { data, ledger, clock } = parts;
  const memory = Memory.open(data);
  const refused = refusals(ledger, memory);
  const silent = silentAccounts(parts, memory);
  return [
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
}
