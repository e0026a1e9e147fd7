// The bell seam, beside the queue: rings in the processes of gateways, from another process. There a ring goes into the queue in memory, which keeps
// concurrency, turns and later rings. Any ring may be lost: sweeps and polling go on as if there were no bell.
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Topic } from './queue.ts';

export interface Bell {
  /** Rings for `id` in the gateway with this incarnation, where it lives. Never throws, and nobody waits for it. */
  ring(incarnation: string, topic: Topic, id: string): void;
  /** The same in the gateway that serves the account; in all that live where none is known to. */
  ringFor(account: string, topic: Topic, id: string): void;
  /** Rings no more, when what was rung has gone, or is lost. */
  close(): Promise<void>;
}

/** What to do where its server does not answer; nobody need do so at once. */
export const REACH_SERVER = 'Start it, or mend queue.url, password and ca; the daemon need not be restarted when it is there again.';

/** What hears the rings for one gateway. Others may write to the server, too: a ring is never believed beyond 'look now'. */
export type Heard = (topic: Topic, id: string) => void;

/** Told when the server is reached, and when it is not any more. */
export type Reached = (isReached: boolean) => void;

export interface Listening {
  /** From now on rings for these accounts come here, where the server is reached. Never throws, and nobody waits for it. */
  serve(accounts: readonly string[]): void;
  /** From now on rings for these accounts go to all, until one serves them. Never throws, and nobody waits for it. */
  leave(accounts: readonly string[]): void;
  /** Hears no more; the gateway is forgotten. */
  close(): Promise<void>;
}

export interface ListenParts {
  /** Of the gateway. */
  readonly incarnation: string;
  /** The accounts that it serves now: told again and again, for the server may forget them. */
  readonly served: () => readonly string[];
  readonly heard: Heard;
  readonly reached?: Reached | undefined;
  readonly clock: Clock;
  readonly log: Log;
}
