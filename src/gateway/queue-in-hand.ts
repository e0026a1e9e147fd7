import type { Queue } from '#engines/queue.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';

/** A queue that drops rings for homes that are not in hand: `homeOf` says for whose the ring with this id is, where that is known. */
export function queueInHand(queue: Queue, inHand: Pick<HomesInHand, 'run'>, homeOf: (id: string) => string | undefined): Queue {
  return {
    ring: (topic, id, atMs) => queue.ring(topic, id, atMs),
    answer(topic, concurrency, handler) {
      queue.answer(topic, concurrency, async (id) => {
        const home = homeOf(id);
        await (home === undefined ? handler(id) : inHand.run(home, () => handler(id)));
      });
    },
    close: () => queue.close(),
  };
}
