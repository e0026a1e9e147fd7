// Readiness: whether the daemon does its work now, with a reason for each no.
import { messageOf } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import { seldom } from '#runtime/seldom.ts';
import type { Probe } from './probes.ts';

export interface Check {
  readonly check: string;
  /** Why not; null when it is well. */
  readonly reason: string | null;
}

/** Each is asked as often at the most, however many ask: a look costs a connection. */
const LOOK_EVERY_MS = 1_000;

export class Readiness {
  readonly #checks: () => Promise<readonly Check[]>;
  #isStopping = false;

  constructor(probes: readonly Probe[], clock: Clock) {
    this.#checks = seldom(clock, LOOK_EVERY_MS, () => Promise.all(probes.map(checked)));
  }

  /** From now on the answer is no: who distributes the load sends nobody here any more. */
  stop(): void {
    this.#isStopping = true;
  }

  async look(): Promise<readonly Check[]> {
    return this.#isStopping ? [{ check: 'daemon', reason: 'it is stopping' }] : this.#checks();
  }
}

async function checked({ place, ask }: Probe): Promise<Check> {
  try {
    return { check: place, reason: (await ask()) ? null : 'it does not answer as it should' };
  } catch (error) {
    return { check: place, reason: messageOf(error) };
  }
}
