// Who is rung when the core has something new: the gateway in this process by the way that it gives, and those of other processes by the bell.
import type { Listeners } from '#core/model/listeners.ts';
import type { Bell, Reached } from '#engines/bell.ts';
import { feedId } from '#gateway/model/feed.ts';
import type { Gateway } from '#gateway/options.ts';

/** `gateway` is asked at each ring: the core starts before it. */
export function ringing(bell: Bell | null, gateway: () => Gateway | undefined): Listeners {
  return {
    incoming(accountRegNo, family, integrationId) {
      gateway()?.ring(accountRegNo, family, integrationId);
      bell?.ringFor(accountRegNo, 'incoming', feedId({ accountRegNo, family }));
    },
    changed(accountRegNo, family) {
      gateway()?.ringStatus(accountRegNo, family);
      bell?.ringFor(accountRegNo, 'status', feedId({ accountRegNo, family }));
    },
    turnedAway(accountRegNo) {
      gateway()?.ringTurnedAway(accountRegNo);
      bell?.ringFor(accountRegNo, 'turned-away', accountRegNo);
    },
  };
}

/** Tells a core that starts later whether gateways can be rung. */
export class RingingCore {
  #isRinging = false;
  #core: { rings(isRinging: boolean): Promise<void> } | null = null;

  readonly reached: Reached = (isReached) => {
    this.#isRinging = isReached;
    this.#tell();
  };

  started(core: { rings(isRinging: boolean): Promise<void> } | null): void {
    this.#core = core;
    this.#tell();
  }

  /** A core that has ended need not know. */
  #tell(): void {
    void this.#core?.rings(this.#isRinging).catch(() => undefined);
  }
}
