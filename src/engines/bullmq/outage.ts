// Whether the server is there, for the log: told once when it is lost, however often it fails until then, and once when it is back.
import { REACH_SERVER, type Reached } from '#engines/bell.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** A server that comes and goes is told of so often. */
const QUIET_MS = 60_000;

export class Outage {
  readonly #side: 'ring' | 'listen';
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed: Reached;
  /** Null before it was asked. */
  #isReached: boolean | null = null;
  #isTold = false;
  #toldMs = Number.NEGATIVE_INFINITY;
  #lostRings = 0;

  constructor(side: 'ring' | 'listen', clock: Clock, log: Log, changed: Reached = () => undefined) {
    this.#side = side;
    this.#clock = clock;
    this.#log = log;
    this.#changed = changed;
  }

  get isAway(): boolean {
    return this.#isReached === false;
  }

  /** `sentence` says what happened, and what to do, where it does answer. */
  failed(error: unknown, sentence?: string): void {
    this.#reach(false);
    const now = this.#clock.now();
    if (this.#isTold || now < this.#toldMs + QUIET_MS) return;
    this.#isTold = true;
    this.#toldMs = now;
    const reason = reasonOf(error);
    const noAnswer = `Redis does not answer (${reason}). ${REACH_SERVER}`;
    this.#log.warn({ event: 'bell.away', side: this.#side, reason, sentence: sentence ?? noAnswer });
  }

  lostRing(): void {
    this.#lostRings++;
  }

  answered(): void {
    this.#reach(true);
    if (this.#isTold) this.#log.info({ event: 'bell.back', side: this.#side, lostRings: this.#lostRings });
    this.#isTold = false;
    this.#lostRings = 0;
  }

  /** It has answered, and has forgotten what it knew of us: since then rings were lost as where it is away. */
  forgot(): void {
    if (this.#isReached) this.#reach(false);
  }

  #reach(isReached: boolean): void {
    if (isReached === this.#isReached) return;
    this.#isReached = isReached;
    this.#changed(isReached);
  }
}

/** The error itself may hold the command that failed, with the password in it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const [first = error]: unknown[] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.message;
}
