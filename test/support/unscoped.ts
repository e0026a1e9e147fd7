// A defect of ledgers on PostgreSQL that a test must find: no write has its scopes.
import type { Database } from '#engines/database.ts';

let isSeeded = false;

/** In ledgers that are opened from now on, until it is disposed of. */
export function loseScopes(): Disposable {
  isSeeded = true;
  return {
    [Symbol.dispose]() {
      isSeeded = false;
    },
  };
}

export function perhapsUnscoped<Tables>(database: Database<Tables>): Database<Tables> {
  if (!isSeeded) return database;
  return {
    read: database.read,
    scan: database.scan,
    write: (_scopes, work, when) => database.write([], work, when),
    get commits() {
      return database.commits;
    },
    close: () => database.close(),
  };
}
