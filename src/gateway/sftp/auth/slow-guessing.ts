// How guessing is slowed down: passwords are verified one at a time for an address, and an address that fails again and again is banned.
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { sourceOf } from '#runtime/networks.ts';
import { openBanList } from './ban-list.ts';

const PENALTY_MS = { 'failed-login': 5_000, 'no-login': 1_000 } as const;
export type Offence = keyof typeof PENALTY_MS;

export interface SlowGuessing {
  isBanned(address: string): boolean;
  /**
   * Verifies a password, one at a time for an address, so that many connections at once guess no faster than one. Returns false without
   * verifying when the address has been banned meanwhile.
   */
  verifyInTurn(address: string, verify: () => Promise<boolean>): Promise<boolean>;
  /** True when the address is banned from now on. */
  punish(address: string, offence: Offence): boolean;
}

/** `banned` is called for each address that is banned from now on. */
export function openSlowGuessing(isExempt: (address: string) => boolean, clock: Clock, banned?: () => void): SlowGuessing {
  const bans = openBanList(clock);
  const mutex = new KeyedMutex();
  return {
    isBanned: (address) => bans.isBanned(address),
    verifyInTurn: (address, verify) => mutex.run(sourceOf(address), async () => !bans.isBanned(address) && verify()),
    punish(address, offence) {
      const isNew = !isExempt(address) && bans.punish(address, PENALTY_MS[offence]);
      if (isNew) banned?.();
      return isNew;
    },
  };
}
