// Whether all that is new at the service is rung for, so that feeds need not be asked often. Each answer of a core that can ring says so, and which core it is. Where an
// answer does not, where we cannot hear, and where a core is new, whose predecessor may have taken rings with it, each feed is asked once soon.
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';

/** So long nothing may be in doubt. */
const SURE_AFTER_MS = 10 * 60_000;
const CORES_MAX = 1_000;
/** However few feeds there are, one is asked so often: of several cores each is asked soon whether it can ring. */
const ASKED_EVERY_MS = 30_000;

interface Rests {
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
}

export class BellCoverage {
  readonly #clock: Clock;
  readonly #cores = new LruCache<true>(CORES_MAX);
  readonly #inDoubt: (() => void)[] = [];
  #isListening = false;
  #isSaid = false;
  #sureAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sureAtMs = clock.now() + SURE_AFTER_MS;
  }

  get isSure(): boolean {
    return this.#isListening && this.#isSaid && this.#clock.now() >= this.#sureAtMs;
  }

  /** Between two looks at each of so many feeds that nothing has been heard of. */
  restMs(feeds: number, { pollSilentMs, reconcileMs }: Rests): number {
    return this.isSure ? Math.min(reconcileMs, Math.max(pollSilentMs, feeds * ASKED_EVERY_MS)) : pollSilentMs;
  }

  /** `look` is to look at everything soon: what was sure is in doubt. */
  onDoubt(look: () => void): void {
    this.#inDoubt.push(look);
  }

  /** The service has answered; `core`: which core rings, as it says. */
  answered(core: string | undefined): void {
    if (core === undefined || !this.#cores.get(core)) this.#doubt();
    this.#isSaid = core !== undefined;
    if (core !== undefined) this.#cores.put(core, true);
  }

  /** We hear rings, or do not any more. */
  readonly listening = (isListening: boolean): void => {
    this.#doubt();
    this.#isListening = isListening;
  };

  #doubt(): void {
    const wasSure = this.isSure;
    this.#sureAtMs = this.#clock.now() + SURE_AFTER_MS;
    if (wasSure) for (const look of this.#inDoubt) look();
  }
}
