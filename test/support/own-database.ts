// The database of a test file, for the ledgers that its tests open.
import { afterAll } from 'vitest';
import { newPostgresDatabase, type PostgresDatabase } from './postgres.ts';

let own: Promise<PostgresDatabase> | undefined;

export function ownDatabase(): Promise<PostgresDatabase> {
  own ??= newPostgresDatabase();
  return own;
}

/** Once in each file; the process goes on with the next one. */
export function endWithFile(): void {
  afterAll(async () => {
    const ended = await own;
    own = undefined;
    await ended?.[Symbol.asyncDispose]();
  });
}
