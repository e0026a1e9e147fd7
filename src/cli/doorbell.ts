// Who is rung when the core has something new: the gateway in this process by the way that it gives, and those of other processes by the bell.
import type { Listeners } from '#core/model/listeners.ts';
import type { Bell } from '#engines/bell.ts';
import { feedId } from '#gateway/model/feed.ts';
import type { Gateway } from '#gateway/options.ts';

/** `gateway` is asked at each ring: the core starts before it. */
export function ringing(bell: Bell | null, gateway: () => Gateway | undefined): Listeners {
  return {
    incoming(accountRegNo, family, integrationId) {
      gateway()?.ring(accountRegNo, family, integrationId);
      bell?.ringAll('incoming', feedId({ accountRegNo, family }));
    },
    changed(accountRegNo, family) {
      gateway()?.ringStatus(accountRegNo, family);
      bell?.ringAll('status', feedId({ accountRegNo, family }));
    },
    turnedAway(accountRegNo) {
      gateway()?.ringTurnedAway(accountRegNo);
      bell?.ringAll('turned-away', accountRegNo);
    },
  };
}
