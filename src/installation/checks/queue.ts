// The queue's server: whether it answers. A daemon works without.
import { messageOf } from '#domain/error.ts';
import { askQueueServer } from '#engines/open.ts';
import { queueServer } from '#installation/queue-server.ts';
import { type Check, warning, well } from './finding.ts';

const UNRUNG = 'Nodes without queue.url learn of what is new when they ask for it, every gateway.poll.';

export const checkQueue: Check = async ({ config }) => {
  const server = queueServer(config);
  if (!server)
    return config.node === null || config.role === 'core'
      ? []
      : [warning(UNRUNG, 'Name a Redis in queue.url, the same for cores and nodes.')];
  const place = `Redis at ${server.host}:${server.port}`;
  const reason = await askQueueServer(server).then(() => null, messageOf);
  if (reason === null) return [well(`${place} answers.`)];
  const sentence = `${place} does not answer (${reason}): gateways learn of what is new when they ask for it, every gateway.poll.`;
  return [warning(sentence, 'Start it, or mend queue.url, password and ca; the daemon need not be restarted when it is there again.')];
};
