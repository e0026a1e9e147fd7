// Which engines there are: the only file that names one. All others open a database, a queue or a bell here, and know the seams alone. What speaks to a server
// is loaded where there is one.
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Bell, Listening, ListenParts, Reached } from './bell.ts';
import type { Copying } from './copying.ts';
import type { Database, Timed } from './database.ts';
import { MemoryQueue } from './memory/queue.ts';
import { memoryWindows } from './memory/windows.ts';
import { postgresCopying } from './postgres/copying.ts';
import type { PostgresPlace } from './postgres/place.ts';
import type { Queue } from './queue.ts';
import type { RedisPlace } from './redis/place.ts';
import type { Schema, TablesOf } from './schema.ts';
import { sqliteCopying } from './sqlite/copying.ts';
import { openSqliteSnapshot } from './sqlite/snapshot.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { Windows } from './windows.ts';

/** PostgreSQL: holds several databases, each in a schema of its own. */
export type DatabaseServer = Omit<PostgresPlace, 'schema' | 'process'>;

/** A file, or a schema of a server. */
export type DatabasePlace = string | Omit<PostgresPlace, 'process'>;

export interface DatabaseOptions {
  readonly timed?: Timed | undefined;
  /** What is opened for one process has one name. */
  readonly process?: string | undefined;
  /** Told once when a server's database is away, for who keeps a name in it, and once when it is back. */
  readonly log?: Log;
}

/**
 * Opens the database at a place, and makes it when it is not there. Throws `usage` when it was made with another version of the schema, and `storage`
 * when a server does not answer.
 */
export async function openDatabase<Declared extends Schema>(
  place: DatabasePlace,
  schema: Declared,
  { timed, process, log }: DatabaseOptions = {},
): Promise<Database<TablesOf<Declared>>> {
  if (typeof place === 'string') return openSqlite(place, schema, { timed });
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres({ ...place, process }, schema, { timed, log });
}

/** Whether the database at a place has been made; makes nothing. Throws what opening it would. */
export async function inspectDatabase(place: DatabasePlace, schema: Schema): Promise<boolean> {
  if (typeof place !== 'string') return (await import('./postgres/postgres.ts')).inspectPostgres(place, schema);
  if (!existsSync(place)) return false;
  await (await openSqlite(place, schema)).close();
  return true;
}

/** The rows of a database that has been made, as of one moment, also while others write. */
export async function openSnapshot<Tables>(place: DatabasePlace): Promise<{ readonly read: Kysely<Tables>; close(): Promise<void> }> {
  return typeof place === 'string' ? openSqliteSnapshot(place) : (await import('./postgres/snapshot.ts')).openPostgresSnapshot(place);
}

export function copyingOf(place: DatabasePlace): Copying {
  return typeof place === 'string' ? sqliteCopying : postgresCopying;
}

export function openQueue(clock: Clock, log: Log): Queue {
  return new MemoryQueue(clock, log);
}

/** Redis: carries rings between processes. */
export type QueueServer = RedisPlace;

/** Rings in gateways, also before the server answers, and while it does not: then rings are lost. */
export async function openBell(server: QueueServer, clock: Clock, log: Log, reached?: Reached): Promise<Bell> {
  const { BullmqBell } = await import('./bullmq/bell.ts');
  return new BullmqBell(server, clock, log, reached);
}

/** Hears what is rung for a gateway, as soon as the server answers. */
export async function listenForRings(server: QueueServer, parts: ListenParts): Promise<Listening> {
  const { BullmqListening } = await import('./bullmq/listening.ts');
  return new BullmqListening(server, parts);
}

/** In the memory of this process where there is no server. */
export async function openWindows(server: QueueServer | null): Promise<Windows> {
  return server ? (await import('./redis/windows.ts')).openRedisWindows(server) : memoryWindows;
}

/** Resolves when the server answers; rejects with the reason otherwise. */
export async function askQueueServer(server: QueueServer): Promise<void> {
  await (await import('./redis/place.ts')).askRedis(server);
}
