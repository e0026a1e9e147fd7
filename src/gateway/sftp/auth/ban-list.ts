// Addresses that are banned for a time after failed logins. Penalties add up, as OpenSSH's PerSourcePenalties do.
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { sourceOf } from '#runtime/networks.ts';

export interface BanList {
  isBanned(address: string): boolean;
  /** Adds a penalty. True when the address is banned by it, and was not before. */
  punish(address: string, penaltyMs: number): boolean;
}

/** Penalties below this sum ban no address: three typing errors are free. */
const BANNED_FROM_MS = 15_000;
const PENALTY_MS_MAX = 600_000;
const ADDRESSES_MAX = 65_536;

interface Penalty {
  readonly untilMs: number;
  readonly isBan: boolean;
}

export function openBanList(clock: Clock, addressesMax = ADDRESSES_MAX): BanList {
  const penalties = new LruCache<Penalty>(addressesMax);

  function current(source: string): Penalty | undefined {
    const penalty = penalties.get(source);
    return penalty && penalty.untilMs > clock.now() ? penalty : undefined;
  }

  return {
    isBanned: (address) => current(sourceOf(address))?.isBan ?? false,
    punish(address, penaltyMs) {
      const source = sourceOf(address);
      const before = current(source);
      const now = clock.now();
      const untilMs = Math.min((before?.untilMs ?? now) + penaltyMs, now + PENALTY_MS_MAX);
      const isBan = before?.isBan || untilMs - now >= BANNED_FROM_MS;
      penalties.put(source, { untilMs, isBan });
      return isBan && !before?.isBan;
    },
  };
}
