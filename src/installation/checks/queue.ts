// The queue's server: whether it answers. A daemon works without.
import { askQueueServer } from '#engines/open.ts';
import { queueServer } from '#installation/queue-server.ts';
import { type Check, reasonOf, warning, well } from './finding.ts';

export const checkQueue: Check = async ({ config }) => {
  const server = queueServer(config);
  if (!server) return [];
  const place = `Redis at ${server.host}:${server.port}`;
  const reason = await askQueueServer(server).then(() => null, reasonOf);
  if (reason === null) return [well(`${place} answers.`)];
  const sentence = `${place} does not answer (${reason}): gateways learn of what is new when they ask for it, every gateway.poll.`;
  return [warning(sentence, 'Start it, or mend queue.url, password and ca; the daemon need not be restarted when it is there again.')];
};
