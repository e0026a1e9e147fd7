// Which engines there are: the only file that names one. All others open a database or a queue here, and know the seams alone.
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Database } from './database.ts';
import { MemoryQueue } from './memory/queue.ts';
import type { Queue } from './queue.ts';
import type { Schema, TablesOf } from './schema.ts';
import { openSqlite } from './sqlite/sqlite.ts';

/** Opens the database at a path, and makes it when it is not there. Throws `usage` when it was made with another version of the schema. */
export function openDatabase<Declared extends Schema>(path: string, schema: Declared): Promise<Database<TablesOf<Declared>>> {
  return openSqlite(path, schema);
}

export function openQueue(clock: Clock, log: Log): Queue {
  return new MemoryQueue(clock, log);
}
