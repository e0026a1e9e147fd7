// Where Redis is, and how it is reached: every question is answered, or given up, within a time.
import { Redis, type RedisOptions } from 'ioredis';
import type { QueueUrl } from '#runtime/config/queue.ts';

/** Where it is encrypted, the server's certificate has to name the host. */
export interface RedisPlace extends QueueUrl {
  readonly password: string | null;
  /** PEM: authorities to trust in place of those that everybody trusts. */
  readonly ca: string | null;
}

const CONNECT_MS = 5_000;
/** A question that takes longer is given up. */
const ANSWER_MS = 1_000;
/** A connection on which nothing is answered for so long is made anew, so that what was given up does not pile up. */
const SILENT_MS = 3_000;
/** The same where rings are waited for: those that wait are answered in between. */
const SILENT_LISTENING_MS = 20_000;
const RECONNECT_MS_MAX = 1_000;

/** For questions: one that cannot be asked now fails at once, and one that is not answered in time. `failed` hears why there is no connection. */
export function connectToAsk(place: RedisPlace, failed: (error: unknown) => void, answerMs = ANSWER_MS): Redis {
  const redis = connect(place, {
    commandTimeout: answerMs,
    socketTimeout: SILENT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  });
  redis.on('error', failed);
  return redis;
}

/** For a worker of BullMQ, which waits in it for what comes, also while there is no connection. */
export function connectToListen(place: RedisPlace): Redis {
  return connect(place, { socketTimeout: SILENT_LISTENING_MS, maxRetriesPerRequest: null });
}

type Conduct = Pick<
  RedisOptions,
  | 'commandTimeout'
  | 'socketTimeout'
  | 'enableOfflineQueue'
  | 'autoResendUnfulfilledCommands'
  | 'maxRetriesPerRequest'
  | 'retryStrategy'
  | 'lazyConnect'
>;

function connect({ host, port, user, password, database, isEncrypted, ca }: RedisPlace, options: Conduct): Redis {
  const redis = new Redis({
    host,
    port,
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    db: database,
    ...(isEncrypted && { tls: { ...(ca !== null && { ca }) } }),
    connectTimeout: CONNECT_MS,
    keepAlive: CONNECT_MS,
    retryStrategy: (times) => Math.min(50 * times, RECONNECT_MS_MAX),
    ...options,
  });
  redis.on('error', () => {
    // Where the server refuses the database, ioredis goes on with number 0. So the connection ends, but not before ioredis has sent its next question: that
    // would otherwise wait in memory, one more of it with each connection.
    if (redis.status === 'connect') setImmediate(() => redis.stream.destroy());
  });
  return redis;
}

/** Resolves when it answers; rejects with the reason otherwise. */
export async function askRedis(place: RedisPlace): Promise<void> {
  const redis = connect(place, { commandTimeout: ANSWER_MS, retryStrategy: () => null, lazyConnect: true });
  let reason: unknown;
  redis.on('error', (error) => (reason = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
