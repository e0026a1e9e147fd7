// Stands for engines/open.ts in tests that run on PostgreSQL (vitest.config.ts): a ledger that they open at a path is a schema of that path's name, in a
// database of the test's file; unless it is known to be elsewhere.
import { closeSync, openSync } from 'node:fs';
import pg from 'pg';
import type { Bell, Listening, ListenParts, Reached } from '#engines/bell.ts';
import { BullmqBell } from '#engines/bullmq/bell.ts';
import { BullmqListening } from '#engines/bullmq/listening.ts';
import type { Database } from '#engines/database.ts';
import { MemoryQueue } from '#engines/memory/queue.ts';
import { memoryWindows } from '#engines/memory/windows.ts';
import type { DatabaseOptions, DatabasePlace, QueueServer } from '#engines/open.ts';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { inspectPostgres, openPostgres } from '#engines/postgres/postgres.ts';
import type { Queue } from '#engines/queue.ts';
import { openRedisWindows } from '#engines/redis/windows.ts';
import type { Schema, TablesOf } from '#engines/schema.ts';
import type { Windows } from '#engines/windows.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { keepPlace, placeOf, schemaOf } from './ledger-places.ts';
import { ownDatabase } from './own-database.ts';
import { countQueries } from './queries.ts';
import { perhapsUnscoped } from './unscoped.ts';

export function openQueue(clock: Clock, log: Log): Queue {
  return new MemoryQueue(clock, log);
}

export async function openBell(server: QueueServer, clock: Clock, log: Log, reached?: Reached): Promise<Bell> {
  return new BullmqBell(server, clock, log, reached);
}

export async function listenForRings(server: QueueServer, parts: ListenParts): Promise<Listening> {
  return new BullmqListening(server, parts);
}

export async function openWindows(server: QueueServer | null): Promise<Windows> {
  return server ? openRedisWindows(server) : memoryWindows;
}

// Before any session is made: tests wait until what was asked is answered.
countQueries(pg.Client.prototype);

export async function openDatabase<Declared extends Schema>(
  at: DatabasePlace,
  schema: Declared,
  { process, log }: DatabaseOptions = {},
): Promise<Database<TablesOf<Declared>>> {
  const place = typeof at === 'string' ? await placeAt(at) : at;
  return perhapsUnscoped(await openPostgres({ ...place, process }, schema, { log }));
}

export async function inspectDatabase(at: DatabasePlace, schema: Schema): Promise<boolean> {
  const place = typeof at === 'string' ? placeOf(at) : at;
  return place !== undefined && inspectPostgres(place, schema);
}

async function placeAt(file: string): Promise<PostgresPlace> {
  // Commands ask whether there is one.
  closeSync(openSync(file, 'a'));
  const { place } = await ownDatabase();
  return placeOf(file) ?? keepPlace(file, { ...place, schema: schemaOf(file) });
}
