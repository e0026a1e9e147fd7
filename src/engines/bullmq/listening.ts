// Hears the rings for one gateway: its worker takes each job, hands the ring on at once, and the job is gone.
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Heard, Listening, ListenParts } from '#engines/bell.ts';
import { TOPICS } from '#engines/queue.ts';
import { connectToAsk, connectToListen, type RedisPlace } from '#engines/redis/place.ts';
import { every } from '#runtime/clock.ts';
import { announce, end, PREFIX, queueOf, RENEW_MS, tellLeft, tellServed } from './gateways.ts';
import { Outage } from './outage.ts';

/** Jobs at once: what each takes is the way to the server and back. */
const AT_ONCE = 16;
const ID_LENGTH_MAX = 200;
/** How often it is said again which accounts are served here. */
const SERVED_EVERY_MS = 120_000;
/** After an error. */
const AGAIN_MS = 1_000;

export class BullmqListening implements Listening {
  readonly #incarnation: string;
  readonly #asking: Redis;
  readonly #listening: Redis;
  readonly #worker: Worker;
  readonly #renewals: Disposable;
  readonly #servedAgain: Disposable;
  readonly #failed: (error: unknown) => void;

  /** Does not wait for the server. */
  constructor(place: RedisPlace, { incarnation, served, heard, reached, clock, log }: ListenParts) {
    this.#incarnation = incarnation;
    const outage = new Outage('listen', clock, log, reached);
    const failed = (error: unknown): void => outage.failed(error);
    this.#failed = failed;
    this.#asking = connectToAsk(place, failed);
    this.#listening = connectToListen(place);
    this.#worker = new Worker(queueOf(incarnation), async ({ name, data }) => hear(name, data, heard), {
      connection: this.#listening,
      prefix: PREFIX,
      skipVersionCheck: true,
      concurrency: AT_ONCE,
      // A ring is heard within one turn of the event loop, and one that is not is lost.
      skipStalledCheck: true,
      skipLockRenewal: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      runRetryDelay: AGAIN_MS,
    });
    // What keeps it from its work keeps the gateway from being announced, too, and that is told.
    this.#worker.on('error', () => undefined);
    const renew = async (): Promise<void> => {
      if (!(await announce(this.#asking, incarnation))) outage.forgot();
      outage.answered();
    };
    this.#asking.on('ready', () => renew().catch(failed));
    this.#renewals = every(
      clock,
      RENEW_MS,
      () => renew().catch(failed),
      () => undefined,
    );
    const serve = async (): Promise<void> => this.serve(served());
    this.#asking.on('ready', serve);
    this.#servedAgain = every(clock, SERVED_EVERY_MS, serve, () => undefined);
  }

  serve(accounts: readonly string[]): void {
    this.#tell(() => tellServed(this.#asking, this.#incarnation, accounts));
  }

  leave(accounts: readonly string[]): void {
    this.#tell(() => tellLeft(this.#asking, accounts));
  }

  #tell(how: () => Promise<void>): void {
    if (this.#asking.status === 'ready') void how().catch(this.#failed);
  }

  async close(): Promise<void> {
    this.#renewals[Symbol.dispose]();
    this.#servedAgain[Symbol.dispose]();
    await end(this.#asking, this.#incarnation).catch(() => undefined);
    this.#asking.disconnect();
    await this.#worker.close(true);
    this.#listening.disconnect();
  }
}

function hear(name: string, data: unknown, heard: Heard): void {
  const topic = TOPICS.find((each) => each === name);
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
  if (topic !== undefined && typeof id === 'string' && id.length <= ID_LENGTH_MAX) heard(topic, id);
}
