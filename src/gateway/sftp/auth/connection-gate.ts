// The accept gate: which addresses may connect now, by lists, penalties, rate and room, in this order.

import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { isWithin, networksOf, sourceOf } from '#runtime/networks.ts';
import { openRate, type RateLimits } from '#runtime/rate-limit.ts';
import { openPenalties } from './ban-list.ts';
import { type ConnectionLimitSettings, type ConnectionLimits, type ConnectionSlot, openConnectionLimits } from './connection-limits.ts';

export interface GateSettings extends ConnectionLimitSettings, RateLimits {
  /** Networks that may connect; false: all. They are exempt, too. */
  readonly allow: readonly string[] | false;
  /** Networks that may not, whatever `allow` says. */
  readonly deny: readonly string[] | false;
  /** Networks that neither penalties nor the rate concern. */
  readonly exempt: readonly string[] | false;
}

/** What an address may be punished for, and how long that keeps it out. */
const PENALTY_MS = { 'failed-login': 5_000, 'no-login': 1_000 } as const;
export type Offence = keyof typeof PENALTY_MS;

/** Why a connection is not let in. */
export type Barrier = 'not-allowed' | 'denied' | 'penalty' | 'rate' | 'full';

export interface Gate {
  /** A place for a connection that has not logged in yet, or in line for one; or why there is none. `drop` is called when another one takes it. */
  arrive(address: string, drop: () => void): ConnectionSlot | Barrier;
  /** Whether the address earned itself a penalty, perhaps while it was connected. */
  isBarred(address: string): boolean;
  /**
   * Does something that costs much, a password's hash, when no other connection of the address does; `otherwise` when the address is
   * kept out by then. So many connections at once guess no more than one.
   */
  inTurn<Result>(address: string, act: () => Promise<Result>, otherwise: Result): Promise<Result>;
  /** True when the address is kept out from now on. */
  punish(address: string, offence: Offence): boolean;
  /** A connection from there has logged in. */
  welcome(address: string): void;
  /** A place for one more session of a login, of which it may have `most`; undefined when there is none. */
  readonly enter: ConnectionLimits['enter'];
}

/** Addresses are plain: an IPv4 address has no IPv6 clothes. */
export function openGate(settings: GateSettings, clock: Clock): Gate {
  const within = (networks: readonly string[] | false): ((address: string) => boolean) => {
    const list = networksOf(networks || []);
    return (address) => isWithin(list, address);
  };
  const [isAllowed, isDenied, isExcepted] = [within(settings.allow), within(settings.deny), within(settings.exempt)];
  const isExempt = (address: string): boolean => isExcepted(address) || isAllowed(address);
  const penalties = openPenalties(clock);
  const rate = openRate(clock, settings);
  const limits = openConnectionLimits(settings, clock);
  const hashing = new KeyedMutex();

  return {
    arrive(address, drop) {
      if (isDenied(address)) return 'denied';
      if (settings.allow && !isAllowed(address)) return 'not-allowed';
      if (!isExempt(address)) {
        if (penalties.isBarred(address)) {
          // Who knocks on without pause waits longer.
          penalties.punish(address, PENALTY_MS['no-login']);
          return 'penalty';
        }
        if (!rate.take(address)) return 'rate';
      }
      return limits.arrive(sourceOf(address), drop) ?? 'full';
    },
    inTurn: (address, act, otherwise) => hashing.run(sourceOf(address), async () => (penalties.isBarred(address) ? otherwise : act())),
    isBarred: (address) => penalties.isBarred(address),
    punish: (address, offence) => !isExempt(address) && penalties.punish(address, PENALTY_MS[offence]),
    welcome(address) {
      rate.giveBack(address);
      limits.welcome(sourceOf(address));
    },
    enter: limits.enter,
  };
}
