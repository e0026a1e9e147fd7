// The queue in memory: the default engine, for one process.

import type { Queue, Topic } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { DueTimes } from './due-times.ts';

/** Ids that may wait per topic; beyond it a ring is dropped, and the sweep rings again. */
const WAITING_MAX = 200_000;
/** How soon an id rings again whose handler has failed: the database is away for a moment, and not every topic has a sweep. */
const AFTER_FAILURE_MS = 5_000;
/** Handlers that begin between two turns of the event loop: what they do may be done in memory alone, and a hundred thousand ids must not keep others from their turn. */
const BEGUN_PER_TURN_MAX = 256;

type Handler = (id: string) => Promise<void>;

interface Bell {
  /** Ids that wait for a free handler, in order. */
  readonly waiting: Set<string>;
  readonly running: Set<string>;
  /** Ids that rang while they were running. */
  readonly again: Set<string>;
  /** Ids that ring later. */
  readonly later: DueTimes;
  concurrency: number;
  handler: Handler | null;
}

export class MemoryQueue implements Queue {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #bells = new Map<Topic, Bell>();
  #isClosed = false;
  /** Of close: called when no handler runs any more. */
  #idle: (() => void) | null = null;
  /** Handlers that have begun since the event loop had its last turn. */
  #begun = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  ring(topic: Topic, id: string, atMs = 0): void {
    if (this.#isClosed) return;
    const bell = this.#bellOf(topic);
    if (atMs <= this.#clock.now()) this.#ringNow(topic, bell, id);
    else if (bell.later.size < WAITING_MAX || bell.later.has(id)) bell.later.plan(id, atMs);
  }

  answer(topic: Topic, concurrency: number, handler: Handler): void {
    const bell = this.#bellOf(topic);
    if (bell.handler) throw new Error(`topic ${topic} is answered already`);
    bell.concurrency = concurrency;
    bell.handler = handler;
    this.#pump(topic, bell);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { later } of this.#bells.values()) later[Symbol.dispose]();
    if (this.#isRunning()) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  #isRunning(): boolean {
    return [...this.#bells.values()].some((bell) => bell.running.size > 0);
  }

  #bellOf(topic: Topic): Bell {
    const known = this.#bells.get(topic);
    if (known) return known;
    const bell: Bell = {
      waiting: new Set(),
      running: new Set(),
      again: new Set(),
      later: new DueTimes(this.#clock, (id) => this.#ringNow(topic, bell, id)),
      concurrency: 0,
      handler: null,
    };
    this.#bells.set(topic, bell);
    return bell;
  }

  #ringNow(topic: Topic, bell: Bell, id: string): void {
    if (bell.running.has(id)) bell.again.add(id);
    else if (bell.waiting.size < WAITING_MAX) bell.waiting.add(id);
    this.#pump(topic, bell);
  }

  #pump(topic: Topic, bell: Bell): void {
    if (!bell.handler) return;
    for (const id of bell.waiting) {
      if (this.#isClosed || bell.running.size >= bell.concurrency || this.#begun >= BEGUN_PER_TURN_MAX) return;
      if (this.#begun++ === 0) setImmediate(() => this.#turn());
      bell.waiting.delete(id);
      bell.running.add(id);
      void this.#handle(topic, bell, bell.handler, id);
    }
  }

  #turn(): void {
    this.#begun = 0;
    for (const [topic, bell] of this.#bells) this.#pump(topic, bell);
  }

  async #handle(topic: Topic, bell: Bell, handler: Handler, id: string): Promise<void> {
    try {
      await handler(id);
    } catch (error) {
      this.#log.error({ event: 'queue.handler-failed', topic, id, err: error });
      this.ring(topic, id, this.#clock.now() + AFTER_FAILURE_MS);
    }
    bell.running.delete(id);
    if (bell.again.delete(id)) bell.waiting.add(id);
    this.#pump(topic, bell);
    if (this.#isClosed && !this.#isRunning()) this.#idle?.();
  }
}
