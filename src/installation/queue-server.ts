// The queue's server that the configuration names.
import type { QueueServer } from '#engines/open.ts';
import type { Config } from '#runtime/config/config.ts';

/** Redis, which rings between processes; null where there is none. */
export function queueServer({ queue: { url, password, ca } }: Pick<Config, 'queue'>): QueueServer | null {
  return url && { ...url, password: password?.trim() ?? null, ca };
}
