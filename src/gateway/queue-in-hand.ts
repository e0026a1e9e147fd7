import type { Queue } from '#engines/queue.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';

/** A queue that drops rings for homes that are not in hand. The ids of its topics begin with an account. */
export function queueInHand(queue: Queue, inHand: Pick<HomesInHand, 'run'>, accounts: Pick<Accounts, 'find'>): Queue {
  return {
    ring: (topic, id, atMs) => queue.ring(topic, id, atMs),
    answer(topic, concurrency, handler) {
      queue.answer(topic, concurrency, async (id) => {
        const account = accounts.find(id.split(' ')[0] ?? '');
        await (account ? inHand.run(account.home, () => handler(id)) : handler(id));
      });
    },
    close: () => queue.close(),
  };
}
