// How many connections there may be: before the login by the room for half-open ones and its line, after it per login.
import type { Clock } from '#runtime/clock.ts';
import { HalfOpenRoom } from './half-open-room.ts';

export interface ConnectionLimitSettings {
  readonly unauthenticatedMax: number;
  readonly unauthenticatedPerAddressMax: number;
  readonly sessionsPerLoginMax: number;
}

/** A connection's place among those that have not logged in, or in line for one. Dispose when it has logged in or gone. */
export interface ConnectionSlot extends Disposable {
  /** True as soon as it is inside; false when it has waited in vain. */
  readonly granted: Promise<boolean>;
  readonly isInLine: boolean;
  /** Another one has it now. */
  readonly isLost: boolean;
  /** It has come further: it has greeted, exchanged keys, or asked to log in. */
  step(): void;
}

export interface ConnectionLimits {
  /** A place for a connection of `network`; undefined when there is none, nor in line. `drop` is called when another one takes its place. */
  arrive(network: string, drop: () => void): ConnectionSlot | undefined;
  /** Somebody from there has logged in: it gives way last from now on. */
  welcome(network: string): void;
  /** A place for one more session of a login, of which it may have `most`; undefined when there is none. Dispose to give it back. */
  enter(login: string, most?: number): Disposable | undefined;
}

/** So long, and so many, wait for a place: enough for an office whose programs all start at once. */
const IN_LINE_MS = 5_000;
const IN_LINE = { inLineMax: 200, inLinePerNetworkMax: 20 } as const;

export function openConnectionLimits(settings: ConnectionLimitSettings, clock: Clock): ConnectionLimits {
  const { unauthenticatedMax: insideMax, unauthenticatedPerAddressMax: insidePerNetworkMax } = settings;
  const room = new HalfOpenRoom<Candidate>({ insideMax, insidePerNetworkMax, ...IN_LINE });
  const sessions = new Map<string, number>();

  return {
    arrive(network, drop) {
      const arrival = new Candidate(room, drop);
      const { is, instead } = room.offer(arrival, network);
      if (is === 'turned-away') return undefined;
      instead?.giveWay();
      if (is === 'inside') arrival.grant();
      else arrival.wait(clock);
      return arrival;
    },
    welcome: (network) => room.welcome(network),
    enter(login, most = settings.sessionsPerLoginMax) {
      const open = sessions.get(login) ?? 0;
      if (open >= most) return undefined;
      sessions.set(login, open + 1);
      let held = true;
      return {
        [Symbol.dispose]() {
          if (!held) return;
          held = false;
          const left = (sessions.get(login) ?? 0) - 1;
          if (left > 0) sessions.set(login, left);
          else sessions.delete(login);
        },
      };
    },
  };
}

class Candidate implements ConnectionSlot {
  readonly #room: HalfOpenRoom<Candidate>;
  readonly #drop: () => void;
  readonly #granted = Promise.withResolvers<boolean>();
  #isLost = false;
  /** Runs while it is in line. */
  #timer: Disposable | undefined;

  constructor(room: HalfOpenRoom<Candidate>, drop: () => void) {
    this.#room = room;
    this.#drop = drop;
  }

  get granted(): Promise<boolean> {
    return this.#granted.promise;
  }

  get isInLine(): boolean {
    return this.#timer !== undefined;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  step(): void {
    this.#room.step(this);
  }

  grant(): void {
    this.#settle(true);
  }

  wait(clock: Clock): void {
    this.#timer = clock.after(IN_LINE_MS, () => this[Symbol.dispose]());
  }

  /** It is not in the room any more: one that only waited is turned away, one that was inside is dropped. */
  giveWay(): void {
    this.#isLost = true;
    if (this.isInLine) this.#settle(false);
    else this.#drop();
  }

  [Symbol.dispose](): void {
    this.#settle(false);
    this.#room.leave(this)?.grant();
  }

  #settle(isGranted: boolean): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#granted.resolve(isGranted);
  }
}
