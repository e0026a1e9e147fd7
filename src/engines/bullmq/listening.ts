// Hears the rings for one gateway: its worker takes each job, hands the ring on at once, and the job is gone. Where nothing came for a while the gateway
// rings itself: jobs come by other connections than the one on which it says that it lives, and a queue may be paused.
import { type Queue as Jobs, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Heard, Listening, ListenParts } from '#engines/bell.ts';
import { TOPICS } from '#engines/queue.ts';
import { connectToAsk, connectToListen, type RedisPlace } from '#engines/redis/place.ts';
import { every } from '#runtime/clock.ts';
import { announce, end, PREFIX, queueOf, RENEW_MS, tellLeft, tellServed } from './gateways.ts';
import { LEAVES_NOTHING, openJobs } from './jobs.ts';
import { Outage } from './outage.ts';

/** Jobs at once: what each takes is the way to the server and back. */
const AT_ONCE = 16;
const ID_LENGTH_MAX = 200;
/** How often it is said again which accounts are served here. */
const SERVED_EVERY_MS = 120_000;
/** After an error. */
const AGAIN_MS = 1_000;
/** After so many renewals without a ring the gateway rings itself: every 6 s where nothing else rings. */
const SILENT_RENEWALS = 2;
/**
 * After so many it is deaf: it has not heard itself for 10 s. Counted are renewals that the server has answered, and not the time: neither a machine that slept
 * nor a server that was away makes a gateway deaf.
 */
const DEAF_RENEWALS = 7;
/** So often one that is deaf asks to be forgotten once more: its queue is removed, which may be what keeps it from hearing. */
const FORGOTTEN_EVERY = 15;
const OWN_RING = 'own-ring';
const DEAF =
  'Redis answers, but brings no rings: documents come late. Its user must be allowed to call BZPOPMIN and scripts, and maxclients must leave room for five connections of each gateway.';

export class BullmqListening implements Listening {
  readonly #incarnation: string;
  readonly #asking: Redis;
  readonly #listening: Redis;
  readonly #worker: Worker;
  readonly #renewals: Disposable;
  readonly #servedAgain: Disposable;
  readonly #failed: (error: unknown) => void;
  readonly #outage: Outage;
  /** For rings to itself. */
  readonly #jobs: Jobs;
  /** Renewals since a ring was heard. */
  #silentRenewals = 0;

  /** Does not wait for the server. */
  constructor(place: RedisPlace, { incarnation, served, heard, reached, clock, log }: ListenParts) {
    this.#incarnation = incarnation;
    const outage = new Outage('listen', clock, log, reached);
    const failed = (error: unknown): void => outage.failed(error);
    this.#failed = failed;
    this.#outage = outage;
    this.#asking = connectToAsk(place, failed);
    this.#listening = connectToListen(place);
    this.#jobs = openJobs(this.#asking, incarnation);
    const take = async ({ name, data }: { readonly name: string; readonly data: unknown }): Promise<void> => {
      this.#silentRenewals = 0;
      hear(name, data, heard);
    };
    this.#worker = new Worker(queueOf(incarnation), take, {
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
    // What keeps it from its work is told where the gateway does not hear itself.
    this.#worker.on('error', () => undefined);
    const renew = (): Promise<void> => this.#renew().catch(failed);
    this.#asking.on('ready', renew);
    this.#renewals = every(clock, RENEW_MS, renew, () => undefined);
    const serve = async (): Promise<void> => this.serve(served());
    this.#asking.on('ready', serve);
    this.#servedAgain = every(clock, SERVED_EVERY_MS, serve, () => undefined);
  }

  /**
   * Says that it lives, unless it is deaf: then bells ring other gateways, also for the accounts that it has said to serve, and remove its queue, which may be
   * what made it deaf.
   */
  async #renew(): Promise<void> {
    const deafFor = this.#silentRenewals - DEAF_RENEWALS;
    if (deafFor >= 0 && deafFor % FORGOTTEN_EVERY === 0) await end(this.#asking, this.#incarnation);
    else if (deafFor < 0 && !(await announce(this.#asking, this.#incarnation))) this.#outage.forgot();
    this.#silentRenewals++;
    // Of two ids in turn: so many are unheard at the most, and one whose hearing broke off keeps no other back.
    if (this.#silentRenewals > SILENT_RENEWALS)
      await this.#jobs.add(OWN_RING, {}, { ...LEAVES_NOTHING, jobId: `${OWN_RING}-${this.#silentRenewals % 2}` });
    if (deafFor >= 0) this.#outage.failed(new Error('rings do not come'), DEAF);
    else this.#outage.answered();
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
    await this.#jobs.close();
    await this.#worker.close(true);
    this.#listening.disconnect();
  }
}

function hear(name: string, data: unknown, heard: Heard): void {
  const topic = TOPICS.find((each) => each === name);
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
  if (topic !== undefined && typeof id === 'string' && id.length <= ID_LENGTH_MAX) heard(topic, id);
}
