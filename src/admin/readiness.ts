// Readiness: whether the daemon does its work now, with a reason for each no.
import type { Clock } from '#runtime/clock.ts';
import type { Probe } from './probes.ts';

export interface Check {
  readonly check: string;
  /** Why not; null when it is well. */
  readonly reason: string | null;
}

/** Each is asked as often at the most, however many ask: a look costs a connection. */
const LOOK_EVERY_MS = 1_000;

export class Readiness {
  readonly #probes: readonly Probe[];
  readonly #clock: Clock;
  #isStopping = false;
  #latest: { readonly atMs: number; readonly checks: Promise<Check[]> } | undefined;

  constructor(probes: readonly Probe[], clock: Clock) {
    this.#probes = probes;
    this.#clock = clock;
  }

  /** From now on the answer is no: who distributes the load sends nobody here any more. */
  stop(): void {
    this.#isStopping = true;
  }

  async look(): Promise<readonly Check[]> {
    if (this.#isStopping) return [{ check: 'daemon', reason: 'it is stopping' }];
    const now = this.#clock.now();
    const age = now - (this.#latest?.atMs ?? Number.NEGATIVE_INFINITY);
    if (!this.#latest || age >= LOOK_EVERY_MS || age < 0) this.#latest = { atMs: now, checks: Promise.all(this.#probes.map(checked)) };
    return this.#latest.checks;
  }
}

async function checked({ place, ask }: Probe): Promise<Check> {
  try {
    return { check: place, reason: (await ask()) ? null : 'it does not answer as it should' };
  } catch (error) {
    return { check: place, reason: error instanceof Error ? error.message : 'no reason given' };
  }
}
