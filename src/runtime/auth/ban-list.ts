// Addresses that are banned for a time after failed logins. Penalties add up, as OpenSSH's PerSourcePenalties do.
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { sourceOf } from '#runtime/networks.ts';

interface BanList {
  isBanned(address: string): boolean;
  /** Adds a penalty. True when the address is banned by it, and was not before. */
  punish(address: string, penaltyMs: number): boolean;
  /** It has so much altogether, counted elsewhere within `WINDOW_SECONDS`. True as of `punish`. */
  learn(address: string, sumMs: number): boolean;
}

/** Penalties below this sum ban no address: three typing errors are free. */
const BANNED_FROM_MS = 15_000;
const PENALTY_MS_MAX = 600_000;
/** Of penalties that several processes count together, where none is forgiven before the window ends: then the same sum bans no address yet. */
export const WINDOW_SECONDS = BANNED_FROM_MS / 1_000;
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

  /** True when it is banned by it, and was not before. */
  function put(source: string, leftMs: number, banFromMs: number): boolean {
    const wasBanned = current(source)?.isBan ?? false;
    const isBan = wasBanned || leftMs >= banFromMs;
    penalties.put(source, { untilMs: clock.now() + Math.min(leftMs, PENALTY_MS_MAX), isBan });
    return isBan && !wasBanned;
  }
  const leftOf = (source: string): number => (current(source)?.untilMs ?? clock.now()) - clock.now();

  return {
    isBanned: (address) => current(sourceOf(address))?.isBan ?? false,
    punish(address, penaltyMs) {
      const source = sourceOf(address);
      return put(source, leftOf(source) + penaltyMs, BANNED_FROM_MS);
    },
    learn(address, sumMs) {
      const source = sourceOf(address);
      return put(source, Math.max(leftOf(source), sumMs), BANNED_FROM_MS + 1);
    },
  };
}
