// The queue in memory: the default engine, for one process.

import type { Queue, Topic } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type Agenda, openAgenda } from './due-times.ts';

/** Ids that may wait per topic; beyond it a ring is dropped, and the sweep rings again. */
const WAITING_MAX = 200_000;
/** Handlers that begin between two turns of the event loop: what they do may be done in memory alone, and a hundred thousand ids must not keep others from their turn. */
const BEGUN_PER_TURN_MAX = 256;

interface Bell {
  /** Ids that wait for a free handler, in order. */
  readonly waiting: Set<string>;
  readonly running: Set<string>;
  /** Ids that rang while they were running. */
  readonly again: Set<string>;
  /** Ids that ring later. */
  readonly later: Agenda;
  concurrency: number;
  handler: ((id: string) => Promise<void>) | null;
}

export function openMemoryQueue(clock: Clock, log: Log): Queue {
  const bells = new Map<Topic, Bell>();
  let closed = false;
  let idle: (() => void) | null = null;
  /** Since the event loop had its last turn. */
  let begun = 0;

  const bellOf = (topic: Topic): Bell => {
    const known = bells.get(topic);
    if (known) return known;
    const bell: Bell = {
      waiting: new Set(),
      running: new Set(),
      again: new Set(),
      later: openAgenda(clock, (id) => ringNow(topic, bell, id)),
      concurrency: 0,
      handler: null,
    };
    bells.set(topic, bell);
    return bell;
  };
  const running = (): boolean => [...bells.values()].some((bell) => bell.running.size > 0);

  function ringNow(topic: Topic, bell: Bell, id: string): void {
    if (bell.running.has(id)) bell.again.add(id);
    else if (bell.waiting.size < WAITING_MAX) bell.waiting.add(id);
    pump(topic, bell);
  }

  function pump(topic: Topic, bell: Bell): void {
    if (!bell.handler) return;
    for (const id of bell.waiting) {
      if (closed || bell.running.size >= bell.concurrency || begun >= BEGUN_PER_TURN_MAX) return;
      if (begun++ === 0) setImmediate(turn);
      bell.waiting.delete(id);
      bell.running.add(id);
      void handle(topic, bell, bell.handler, id);
    }
  }

  function turn(): void {
    begun = 0;
    for (const [topic, bell] of bells) pump(topic, bell);
  }

  async function handle(topic: Topic, bell: Bell, handler: (id: string) => Promise<void>, id: string): Promise<void> {
    try {
      await handler(id);
    } catch (error) {
      log.error({ event: 'queue.handler-failed', topic, id, err: error });
    }
    bell.running.delete(id);
    if (bell.again.delete(id)) bell.waiting.add(id);
    pump(topic, bell);
    if (closed && idle && !running()) idle();
  }

  return {
    ring(topic, id, atMs) {
      if (closed) return;
      const bell = bellOf(topic);
      const isFull = (): boolean => bell.later.size >= WAITING_MAX && !bell.later.has(id);
      if (atMs === undefined || atMs <= clock.now()) ringNow(topic, bell, id);
      else if (!isFull()) bell.later.plan(id, atMs);
    },
    answer(topic, concurrency, handler) {
      const bell = bellOf(topic);
      if (bell.handler) throw new Error(`topic ${topic} is answered already`);
      bell.concurrency = concurrency;
      bell.handler = handler;
      pump(topic, bell);
    },
    async close() {
      closed = true;
      for (const { later } of bells.values()) later[Symbol.dispose]();
      if (running()) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}
