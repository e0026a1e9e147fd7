// Who is rung when the core has something new: the gateway in this process by the way that it gives, and those of other processes by the bell.
import type { Listeners } from '#core/model/listeners.ts';
import type { Bell, Reached } from '#engines/bell.ts';
import type { Topic } from '#engines/queue.ts';
import { feedId } from '#gateway/model/feed.ts';
import type { Gateway } from '#gateway/options.ts';
import type { Clock } from '#runtime/clock.ts';

/** Rings for one feed that come within this time of one that has gone share the next, which goes at its end: who hears it looks at all that is new. */
const TOGETHER_MS = 500;
/** Feeds; of more, each ring goes by itself. */
const TOGETHER_MAX = 10_000;

/** What a core rings: the gateway in this process for each change, those of other processes by the bell. */
export class Doorbell implements Listeners, Disposable {
  readonly #bell: Bell | null;
  readonly #gateway: () => Gateway | undefined;
  readonly #clock: Clock;
  /** What was rung lately, and how it is rung again where more has come since. */
  readonly #lately = new Map<string, { again: (() => void) | null; readonly end: Disposable }>();

  /** `gateway` is asked at each ring: the core starts before it. */
  constructor(bell: Bell | null, gateway: () => Gateway | undefined, clock: Clock) {
    this.#bell = bell;
    this.#gateway = gateway;
    this.#clock = clock;
  }

  readonly incoming: Listeners['incoming'] = (accountRegNo, family, integrationId) => {
    this.#gateway()?.ring(accountRegNo, family, integrationId);
    this.#ringFor(accountRegNo, 'incoming', feedId({ accountRegNo, family }));
  };

  readonly changed: Listeners['changed'] = (accountRegNo, family) => {
    this.#gateway()?.ringStatus(accountRegNo, family);
    this.#ringFor(accountRegNo, 'status', feedId({ accountRegNo, family }));
  };

  readonly turnedAway: Listeners['turnedAway'] = (accountRegNo) => {
    this.#gateway()?.ringTurnedAway(accountRegNo);
    this.#ringFor(accountRegNo, 'turned-away', accountRegNo);
  };

  /** Rings at once for what waits. */
  [Symbol.dispose](): void {
    for (const { again, end } of this.#lately.values()) {
      end[Symbol.dispose]();
      again?.();
    }
    this.#lately.clear();
  }

  #ringFor(accountRegNo: string, topic: Topic, id: string): void {
    const bell = this.#bell;
    if (bell) this.#together(`${topic} ${id}`, () => bell.ringFor(accountRegNo, topic, id));
  }

  #together(key: string, ring: () => void): void {
    const lately = this.#lately.get(key);
    if (lately) {
      lately.again = ring;
      return;
    }
    ring();
    if (this.#lately.size >= TOGETHER_MAX) return;
    const end = this.#clock.after(TOGETHER_MS, () => {
      const again = this.#lately.get(key)?.again;
      this.#lately.delete(key);
      if (again) this.#together(key, again);
    });
    this.#lately.set(key, { again: null, end });
  }
}

/** Tells a core that starts later whether gateways can be rung. */
export class RingingCore {
  #isRinging = false;
  #core: { rings(isRinging: boolean): Promise<void> } | null = null;

  readonly reached: Reached = (isReached) => {
    this.#isRinging = isReached;
    this.#tell();
  };

  started(core: { rings(isRinging: boolean): Promise<void> } | null): void {
    this.#core = core;
    this.#tell();
  }

  /** A core that has ended need not know. */
  #tell(): void {
    void this.#core?.rings(this.#isRinging).catch(() => undefined);
  }
}
