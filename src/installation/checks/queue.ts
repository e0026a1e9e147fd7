// The queue's server: whether it answers. A daemon works without.
import { messageOf } from '#domain/error.ts';
import { REACH_SERVER } from '#engines/bell.ts';
import { askQueueServer } from '#engines/open.ts';
import { queueServer } from '#installation/queue-server.ts';
import { type Check, warning, well } from './finding.ts';

const ASKING = 'when they ask for it: every gateway.poll, and every gateway.pollSilent where nothing came for an hour';

/** Of a gateway among nodes; its log says so, too. */
export const UNRUNG = warning(
  `Nodes without queue.url learn of what is new ${ASKING}.`,
  'Name a Redis in queue.url, the same for cores and nodes.',
);

export const checkQueue: Check = async ({ config }) => {
  const server = queueServer(config);
  if (!server) return config.node === null || config.role === 'core' ? [] : [UNRUNG];
  const place = `Redis at ${server.host}:${server.port}`;
  const reason = await askQueueServer(server).then(() => null, messageOf);
  if (reason === null) return [well(`${place} answers.`)];
  return [warning(`${place} does not answer (${reason}): gateways learn of what is new ${ASKING}.`, REACH_SERVER)];
};
