// Rings through BullMQ: each gateway has a queue of its own, and each ring is a job of it. Jobs have no fixed id, and none is left out for another: a
// ring that comes while its id is handled would be swallowed.
import type { Queue as Jobs } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Bell, Reached } from '#engines/bell.ts';
import type { Topic } from '#engines/queue.ts';
import { connectToAsk, type RedisPlace } from '#engines/redis/place.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { isAlive, readGateways, readServing, removeRings, strike } from './gateways.ts';
import { LEAVES_NOTHING, openJobs } from './jobs.ts';
import { Outage } from './outage.ts';

/** How often the server is asked which gateways live. One that is new or back hears rings for all accounts after that, and those for its own at once. */
const LOOK_EVERY_MS = 2_000;
/** Rings under way to the server; more are lost. */
const UNDER_WAY_MAX = 1_000;
/** Rings that a gateway has not heard; while there are more, more are lost. */
const WAITING_MAX = 10_000;

export class BullmqBell implements Bell {
  readonly #redis: Redis;
  readonly #outage: Outage;
  readonly #looks: Disposable;
  /** Of gateways that have been rung. */
  readonly #jobs = new Map<string, Jobs>();
  #living: readonly string[] = [];
  /** Of the living those that hear too little: they are not rung. */
  #full: readonly string[] = [];
  readonly #underWay = new Set<Promise<void>>();

  /** Does not wait for the server. */
  constructor(place: RedisPlace, clock: Clock, log: Log, reached?: Reached) {
    const outage = new Outage('ring', clock, log, reached);
    const failed = (error: unknown): void => outage.failed(error);
    this.#outage = outage;
    this.#redis = connectToAsk(place, failed);
    const look = (): Promise<void> => this.#look().catch(failed);
    this.#redis.on('ready', look);
    this.#looks = every(clock, LOOK_EVERY_MS, look, () => undefined);
  }

  ring(incarnation: string, topic: Topic, id: string): void {
    this.#underWayUnlessAway(
      () => this.#lives(incarnation),
      (lives) => {
        if (lives) this.#add(incarnation, topic, id);
      },
    );
  }

  ringFor(account: string, topic: Topic, id: string): void {
    this.#underWayUnlessAway(
      () => this.#gatewaysFor(account),
      (gateways) => {
        for (const each of gateways) this.#add(each, topic, id);
      },
    );
  }

  #add(incarnation: string, topic: Topic, id: string): void {
    if (this.#full.includes(incarnation)) return;
    this.#underWayUnlessAway(() => this.#jobsOf(incarnation).add(topic, { id }, { ...LEAVES_NOTHING }));
  }

  async #gatewaysFor(account: string): Promise<readonly string[]> {
    const serving = await readServing(this.#redis, account);
    return serving !== null && (await this.#lives(serving)) ? [serving] : this.#living;
  }

  /** One that came after the last look, too: what comes after its first poll no other ring would bring for a while. */
  async #lives(incarnation: string): Promise<boolean> {
    return this.#living.includes(incarnation) || (await isAlive(this.#redis, incarnation));
  }

  #underWayUnlessAway<Answer>(ask: () => Promise<Answer>, then: (answer: Answer) => void = () => undefined): void {
    if (this.#outage.isAway || this.#redis.status !== 'ready' || this.#underWay.size >= UNDER_WAY_MAX) {
      this.#outage.lostRing();
      return;
    }
    const asked: Promise<void> = ask()
      .finally(() => this.#underWay.delete(asked))
      .then(then)
      .catch((error: unknown) => {
        this.#outage.lostRing();
        this.#outage.failed(error);
      });
    this.#underWay.add(asked);
  }

  async close(): Promise<void> {
    this.#looks[Symbol.dispose]();
    // What a server that says nothing is asked ends by itself.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#redis.disconnect();
  }

  async #look(): Promise<void> {
    const { living, ended } = await readGateways(this.#redis);
    const waiting = await Promise.all(living.map((each) => this.#redis.llen(this.#jobsOf(each).toKey('wait'))));
    this.#living = living;
    this.#full = living.filter((_, at) => (waiting[at] ?? 0) >= WAITING_MAX);
    this.#outage.answered();
    // Also those that others have struck: a ring from here may have come after that.
    for (const incarnation of new Set([...ended, ...this.#jobs.keys()]))
      if (!(await this.#lives(incarnation))) await this.#forget(incarnation);
  }

  async #forget(incarnation: string): Promise<void> {
    await removeRings(this.#redis, incarnation);
    await strike(this.#redis, incarnation);
    const jobs = this.#jobs.get(incarnation);
    // At once: where it lives after all, a ring must not come to one that is closed.
    this.#jobs.delete(incarnation);
    await jobs?.close();
  }

  #jobsOf(incarnation: string): Jobs {
    const known = this.#jobs.get(incarnation);
    if (known) return known;
    const jobs = openJobs(this.#redis, incarnation);
    this.#jobs.set(incarnation, jobs);
    return jobs;
  }
}
