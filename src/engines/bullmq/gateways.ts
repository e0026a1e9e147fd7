// Which gateways live, as Redis knows: a set of incarnations, and for each a key that ends by itself when it is not renewed. By the server's clock
// alone, so that those of the machines need not agree. And which of them serves an account: the last that has said so.
import type { Redis } from 'ioredis';

/** Of all keys. Installations that share a server have numbers of databases of their own. */
export const PREFIX = 'dropgate';
/** How often a gateway renews its key, and for how long one that does not counts as living. */
export const RENEW_MS = 2_000;
const ALIVE_MS = 10_000;
const GATEWAYS_MAX = 1_000;

const GATEWAYS = `${PREFIX}:gateways`;
/** Incarnations by accounts. A gateway that ends strikes none of its own out: the next one that serves an account writes over it. */
const SERVING = `${PREFIX}:serving`;
/** Accounts in one command: a longer one keeps others waiting. */
const TOLD_AT_ONCE = 1_000;
const SCANNED_AT_ONCE = 1_000;
/** A write, by which a server shows that it takes rings: one that is full still answers. */
const WRITTEN = `${PREFIX}:written`;
const IS_INCARNATION = /^[a-z0-9]{1,64}$/i;

/** The queue of a gateway. */
export function queueOf(incarnation: string): string {
  return `gateway-${incarnation}`;
}

function aliveKey(incarnation: string): string {
  return `${PREFIX}:alive:${incarnation}`;
}

/** Resolves with whether it counted as living until now. Where it did not, others may have forgotten it, with what they had rung. */
export async function announce(redis: Redis, incarnation: string): Promise<boolean> {
  const answers = await redis.multi().sadd(GATEWAYS, incarnation).set(aliveKey(incarnation), '1', 'PX', ALIVE_MS, 'GET').exec();
  failed(answers);
  return answers?.at(-1)?.[1] === '1';
}

/** The next bell that looks finds that it has ended, also where another bell has forgotten it before. */
export async function end(redis: Redis, incarnation: string): Promise<void> {
  failed(await redis.multi().sadd(GATEWAYS, incarnation).del(aliveKey(incarnation)).exec());
}

/** From now on these accounts are served by that gateway. */
export async function tellServed(redis: Redis, incarnation: string, accounts: readonly string[]): Promise<void> {
  for (let at = 0; at < accounts.length; at += TOLD_AT_ONCE) {
    const some = accounts.slice(at, at + TOLD_AT_ONCE);
    await redis.hset(SERVING, new Map(some.map((account) => [account, incarnation])));
  }
}

/** Nobody is known to serve them any more. Where another has just said that it does, that is forgotten as well: all are rung until it says so again. */
export async function tellLeft(redis: Redis, accounts: readonly string[]): Promise<void> {
  if (accounts.length > 0) await redis.hdel(SERVING, ...accounts);
}

/** Null where none has said that it serves the account; it may have ended since. */
export function readServing(redis: Redis, account: string): Promise<string | null> {
  return redis.hget(SERVING, account);
}

export async function isAlive(redis: Redis, incarnation: string): Promise<boolean> {
  return (await redis.exists(aliveKey(incarnation))) > 0;
}

/** Forgets a gateway that has ended. Where it was only silent for a while, it announces itself again. */
export async function strike(redis: Redis, incarnation: string): Promise<void> {
  await redis.srem(GATEWAYS, incarnation);
}

/**
 * Removes all rings that wait for a gateway. Not as BullMQ does it, which pauses a queue first: several do this at the same time, and a gateway that lives
 * after all must hear again.
 */
export async function removeRings(redis: Redis, incarnation: string): Promise<void> {
  for await (const keys of redis.scanStream({ match: `${PREFIX}:${queueOf(incarnation)}:*`, count: SCANNED_AT_ONCE })) {
    if (keys.length > 0) await redis.unlink(keys);
  }
}

interface Gateways {
  readonly living: readonly string[];
  /** Those that are still in the set. */
  readonly ended: readonly string[];
}

/** Throws when the server does not answer, or takes no writes. */
export async function readGateways(redis: Redis): Promise<Gateways> {
  await redis.set(WRITTEN, '1', 'PX', ALIVE_MS);
  const known = (await redis.smembers(GATEWAYS)).filter((each) => IS_INCARNATION.test(each)).slice(0, GATEWAYS_MAX);
  const alive = known.length > 0 ? await redis.mget(known.map(aliveKey)) : [];
  return { living: known.filter((_, at) => alive[at] !== null), ended: known.filter((_, at) => alive[at] === null) };
}

function failed(answers: readonly (readonly [error: Error | null, ...unknown[]])[] | null): void {
  const error = answers?.find(([each]) => each)?.[0];
  if (error) throw error;
}
