// Work that a core owes by its rows: whoever does it hears the bell, and a sweep over the rows rings for what was not rung for, or was left by a core that has ended.
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
