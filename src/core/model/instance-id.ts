// What an access point knows a message by.
import { hash } from 'node:crypto';
import { v4 } from 'uuid';

/**
 * The network's name for one version of a message: whatever fails in between, it is the same when it is tried again, so that an access
 * point knows it by that. What an access point has given up needs another one: `again` says how many there were before.
 */
export function instanceIdOf(integrationId: string, version: number, again: number): string {
  const parts = again === 0 ? [integrationId, version] : [integrationId, version, again];
  const digest = hash('sha256', parts.join('\n'), 'buffer');
  return v4({ random: digest });
}
