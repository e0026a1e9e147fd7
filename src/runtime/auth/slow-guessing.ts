// How guessing is slowed down: passwords are verified one at a time for an address, and an address that fails again and again is banned.
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { sourceOf } from '#runtime/networks.ts';
import { openBanList } from './ban-list.ts';

const PENALTY_MS = { 'failed-login': 5_000, 'no-login': 1_000 } as const;
type Offence = keyof typeof PENALTY_MS;

/** Adds a penalty to what all processes that share it know of a source; resolves with its sum within `WINDOW_SECONDS`. */
export type AddTogether = (source: string, penaltyMs: number) => Promise<number>;

export interface SlowGuessing {
  isBanned(address: string): boolean;
  /**
   * Verifies a password, one at a time for an address, so that many connections at once guess no faster than one. Returns false without
   * verifying when the address has been banned meanwhile.
   */
  verifyInTurn(address: string, verify: () => Promise<boolean>): Promise<boolean>;
  /** Adds the penalty, which may ban the address from now on. */
  punish(address: string, offence: Offence): void;
}

/**
 * `banned` is called for each address that is banned from now on. `addTogether`: where several processes count penalties together, so that guessing at all
 * of them is no faster than at one.
 */
export function openSlowGuessing(
  isExempt: (address: string) => boolean,
  clock: Clock,
  banned?: (address: string) => void,
  addTogether?: AddTogether,
): SlowGuessing {
  const bans = openBanList(clock);
  const mutex = new KeyedMutex();

  async function share(address: string, penaltyMs: number): Promise<void> {
    const sumMs = await addTogether?.(sourceOf(address), penaltyMs);
    if (sumMs !== undefined && bans.learn(address, sumMs)) banned?.(address);
  }

  return {
    isBanned: (address) => bans.isBanned(address),
    verifyInTurn: (address, verify) => mutex.run(sourceOf(address), async () => !bans.isBanned(address) && verify()),
    punish(address, offence) {
      if (isExempt(address)) return;
      const penaltyMs = PENALTY_MS[offence];
      // What comes during a ban is this process's own affair.
      if (!bans.isBanned(address)) void share(address, penaltyMs);
      if (bans.punish(address, penaltyMs)) banned?.(address);
    },
  };
}
