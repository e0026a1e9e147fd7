// How long addresses are kept out after failed logins: penalties add up as in OpenSSH's PerSourcePenalties.
import type { Clock } from '#runtime/clock.ts';
import { sourceOf } from '#runtime/networks.ts';

export interface Penalties {
  /** Whether the address is kept out now. */
  isBarred(address: string): boolean;
  /** Adds to what the address has to wait. True when it is kept out by that, and was not before. */
  punish(address: string, penaltyMs: number): boolean;
}

/** Less than this keeps nobody out: three slips of a finger are free. */
const BARRED_FROM_MS = 15_000;
const PENALTY_MS_MAX = 600_000;
const ADDRESSES_MAX = 65_536;

interface Penalty {
  readonly untilMs: number;
  readonly barred: boolean;
}

/** In memory. Several gateways could share one behind the same interface. */
export function openPenalties(clock: Clock, addressesMax = ADDRESSES_MAX): Penalties {
  /** The one that was punished longest ago comes first. */
  const penalties = new Map<string, Penalty>();

  function current(key: string): Penalty | undefined {
    const penalty = penalties.get(key);
    if (!penalty || penalty.untilMs > clock.now()) return penalty;
    penalties.delete(key);
    return undefined;
  }

  return {
    isBarred: (address) => current(sourceOf(address))?.barred ?? false,
    punish(address, penaltyMs) {
      const key = sourceOf(address);
      const before = current(key);
      const now = clock.now();
      const untilMs = Math.min((before?.untilMs ?? now) + penaltyMs, now + PENALTY_MS_MAX);
      const barred = before?.barred || untilMs - now >= BARRED_FROM_MS;
      penalties.delete(key);
      const [oldest] = penalties.keys();
      if (penalties.size >= addressesMax && oldest !== undefined) penalties.delete(oldest);
      penalties.set(key, { untilMs, barred });
      return barred && !before?.barred;
    },
  };
}
