// Work that a core owes by its rows: the part that does it is rung for, and a sweep over the rows rings for what nobody has rung for, or what a core that
// has ended has left.
import type { Queue, Topic } from '#engines/queue.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

const SWEEP_EVERY_MS = 10_000;

interface OwedParts {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rings for all that is due now, and every ten seconds. Dispose to stop; the queue waits for what runs when it closes. */
export async function startSweeping(
  { queue, clock, log }: OwedParts,
  topic: Topic,
  due: () => Promise<readonly string[]>,
): Promise<Disposable> {
  const sweep = async (): Promise<void> => {
    for (const id of await due()) queue.ring(topic, id);
  };
  await sweep();
  return every(clock, SWEEP_EVERY_MS, sweep, (error) => log.error({ event: `${topic}.sweep-failed`, err: error }));
}
