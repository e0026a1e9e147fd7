// Stands for engines/open.ts in tests that run on PostgreSQL (vitest.config.ts): a ledger that they open at a path is a schema of that path's name, in a
// database of the test's file.
import { hash } from 'node:crypto';
import pg from 'pg';
import { afterAll } from 'vitest';
import type { Database } from '#engines/database.ts';
import { MemoryQueue } from '#engines/memory/queue.ts';
import type { DatabasePlace } from '#engines/open.ts';
import { openPostgres } from '#engines/postgres/postgres.ts';
import type { Queue } from '#engines/queue.ts';
import type { Schema, TablesOf } from '#engines/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { newPostgresDatabase, type PostgresDatabase } from './postgres.ts';
import { countQueries } from './queries.ts';

export function openQueue(clock: Clock, log: Log): Queue {
  return new MemoryQueue(clock, log);
}

// Before any session is made: tests wait until what was asked is answered.
countQueries(pg.Client.prototype);

let own: Promise<PostgresDatabase> | undefined;

export async function openDatabase<Declared extends Schema>(at: DatabasePlace, schema: Declared): Promise<Database<TablesOf<Declared>>> {
  if (typeof at !== 'string') return openPostgres(at, schema);
  own ??= newPostgresDatabase();
  const { place } = await own;
  return openPostgres({ ...place, schema: `l_${hash('sha256', at).slice(0, 32)}` }, schema);
}

afterAll(async () => {
  await (await own)?.[Symbol.asyncDispose]();
});
