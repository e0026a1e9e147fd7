// The queue of one gateway, for those that ring it.
import { Queue as Jobs } from 'bullmq';
import type { Redis } from 'ioredis';
import { PREFIX, queueOf } from './gateways.ts';

/** Nobody reads what BullMQ tells of its jobs. */
const EVENTS_MAX = 1;

/** A job that is done, or has failed, leaves nothing. */
export const LEAVES_NOTHING = { removeOnComplete: true, removeOnFail: true };

export function openJobs(redis: Redis, incarnation: string): Jobs {
  const jobs = new Jobs(queueOf(incarnation), {
    connection: redis,
    prefix: PREFIX,
    // It would ask, and print on the console what it thinks of the answer.
    skipVersionCheck: true,
    streams: { events: { maxLen: EVENTS_MAX } },
  });
  // Who adds a job hears of it.
  jobs.on('error', () => undefined);
  return jobs;
}
