// What the parts rely on in a queue, told through the seam alone: every engine is held to it. A ring may be answered twice, or not at all, so
// here all that is asked for is what may be relied on when it is.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Queue } from '#engines/queue.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { until } from '../support/until.ts';

export function expectOfQueue(engine: string, open: (clock: Clock, log: Log) => Promise<Queue>): void {
  describe(`the queue of ${engine}`, () => {
    async function start() {
      const lines: string[] = [];
      const queue = await open(systemClock, openLog('info', { write: (line) => void lines.push(line) }));
      onTestFinished(() => queue.close());
      return { queue, lines };
    }
    /** Answers everything, and holds each until it is let go, or until the test has ended: a ring may come twice, and as late as it will. */
    function holding(queue: Queue, concurrency: number) {
      const running: { readonly id: string; readonly end: () => void }[] = [];
      const heard: string[] = [];
      let most = 0;
      let isOver = false;
      onTestFinished(() => {
        isOver = true;
        for (const { end } of running) end();
      });
      queue.answer('submit', concurrency, async (id) => {
        heard.push(id);
        if (isOver) return;
        await new Promise<void>((end) => {
          running.push({ id, end });
          most = Math.max(most, running.length);
        });
      });
      return { running, heard, most: () => most, endFirst: () => running.shift()?.end() };
    }

    it('answers a ring with its id, also one that came before the answer', async () => {
      const { queue } = await start();
      const heard = new Set<string>();
      queue.ring('submit', 'a');
      queue.answer('submit', 1, async (id) => void heard.add(id));
      queue.ring('submit', 'b');
      await until('both', () => heard.has('a') && heard.has('b'));
    });

    it('answers each topic by its own handler, and refuses a second one', async () => {
      const { queue } = await start();
      const heard = new Set<string>();
      queue.answer('submit', 1, async (id) => void heard.add(`submit ${id}`));
      queue.answer('publish', 1, async (id) => void heard.add(`publish ${id}`));
      queue.ring('publish', 'a');
      queue.ring('submit', 'b');
      await until('both', () => heard.size === 2);
      expect([...heard].sort()).toEqual(['publish a', 'submit b']);
      expect(() => queue.answer('submit', 1, async () => undefined)).toThrow('answered already');
    });

    it('answers so many at once and no more', async () => {
      const { queue } = await start();
      const held = holding(queue, 3);
      for (let id = 0; id < 20; id++) queue.ring('submit', `${id}`);
      await until('three', () => held.running.length === 3);
      while (new Set(held.heard).size < 20) {
        held.endFirst();
        await until('the next', () => held.running.length > 0);
      }
      expect(held.most()).toBe(3);
      await until('the end', () => held.endFirst() === undefined && held.running.length === 0);
    });

    it('answers an id that rings while it is handled once more, after that and never at once', async () => {
      const { queue } = await start();
      const held = holding(queue, 8);
      queue.ring('submit', 'a');
      await until('the first', () => held.running.length === 1);
      for (const id of ['a', 'b', 'a']) queue.ring('submit', id);
      await until('the other', () => held.running.some(({ id }) => id === 'b'));
      expect(held.heard.filter((id) => id === 'a')).toHaveLength(1);
      held.endFirst();
      await until('once more', () => held.heard.filter((id) => id === 'a').length === 2);
      await until('the end', () => held.endFirst() === undefined && held.running.length === 0);
    });

    it('answers no ring before its time, and the earliest of several times counts', async () => {
      const { queue } = await start();
      const heard: number[] = [];
      queue.answer('submit', 1, async () => void heard.push(systemClock.now()));
      const atMs = systemClock.now() + 60;
      queue.ring('submit', 'a', atMs + 600_000);
      queue.ring('submit', 'a', atMs);
      queue.ring('submit', 'a', atMs + 600_000);
      await until('the ring', () => heard.length > 0);
      expect(heard[0]).toBeGreaterThanOrEqual(atMs);
    });

    it('logs what a handler throws, and answers the next ring', async () => {
      const { queue, lines } = await start();
      let calls = 0;
      queue.answer('submit', 1, async () => {
        calls++;
        throw new Error('no');
      });
      queue.ring('submit', 'a');
      await until('the first', () => lines.join().includes('queue.handler-failed'));
      const before = calls;
      queue.ring('submit', 'a');
      await until('the next', () => calls > before);
    });

    it('closes when what it handles has ended, and takes no ring from then on', async () => {
      const { queue } = await start();
      const held = holding(queue, 1);
      for (const id of ['a', 'b']) queue.ring('submit', id);
      await until('the first', () => held.running.length === 1);
      let closed = false;
      const closing = queue.close().then(() => (closed = true));
      queue.ring('submit', 'c');
      await new Promise((turn) => setImmediate(turn));
      expect(closed).toBe(false);
      held.endFirst();
      await closing;
      queue.ring('submit', 'd');
      await new Promise((turn) => setImmediate(turn));
      // Two rings may overtake each other on their way.
      expect(held.heard).toHaveLength(1);
      expect(['a', 'b']).toContain(held.heard[0]);
    });
  });
}
