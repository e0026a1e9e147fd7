// What the daemon did in the last 24 hours, minute by minute, in memory: the differences of what its metrics count anyway.
import { type Clock, every } from './clock.ts';

const MINUTE_MS = 60_000;
const MINUTES_MAX = 24 * 60;

/** What is counted, by the metrics that count it. */
const COUNTED = {
  dropped: 'dropgate_items_taken_total',
  ended: 'dropgate_items_ended_total',
  received: 'dropgate_receive_seconds',
} as const;

interface Minute {
  /** When it was over. */
  readonly atMs: number;
  readonly dropped: number;
  readonly ended: number;
  readonly received: number;
  /** How late the event loop was at most. */
  readonly loopDelayMs: number;
}

interface ActivitySources {
  /** So many so far. */
  readonly counted: (metric: string) => Promise<number>;
  /** How late the event loop was at most since it was last asked. */
  readonly takeLatest: () => number;
}

type Totals = Readonly<Record<keyof typeof COUNTED, number>>;

export class Activity implements Disposable {
  readonly #sources: ActivitySources;
  readonly #clock: Clock;
  readonly #timer: Disposable;
  readonly #minutes: Minute[] = [];
  #before: Totals = { dropped: 0, ended: 0, received: 0 };

  constructor(sources: ActivitySources, clock: Clock, failed: (error: unknown) => void) {
    this.#sources = sources;
    this.#clock = clock;
    this.#timer = every(clock, MINUTE_MS, () => this.#note(), failed);
  }

  /** The last ones, the oldest first. */
  minutes(count: number): readonly Minute[] {
    return this.#minutes.slice(-count);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #note(): Promise<void> {
    const { counted, takeLatest } = this.#sources;
    const [dropped, ended, received] = await Promise.all([counted(COUNTED.dropped), counted(COUNTED.ended), counted(COUNTED.received)]);
    const before = this.#before;
    this.#before = { dropped, ended, received };
    this.#minutes.push({
      atMs: this.#clock.now(),
      dropped: dropped - before.dropped,
      ended: ended - before.ended,
      received: received - before.received,
      loopDelayMs: takeLatest(),
    });
    if (this.#minutes.length > MINUTES_MAX) this.#minutes.shift();
  }
}
