// A defect of ledgers on PostgreSQL that a test must find: a scope is missing.
import type { Database, Scope } from '#engines/database.ts';

let isSeeded = false;

/** Writes of ledgers that are opened from now on are not alone with their accounts, until it is disposed of. */
export function loseAccountScopes(): Disposable {
  isSeeded = true;
  return {
    [Symbol.dispose]() {
      isSeeded = false;
    },
  };
}

export function perhapsUnscoped<Tables>(database: Database<Tables>): Database<Tables> {
  if (!isSeeded) return database;
  const write = database.write.bind(database);
  const isLeft = (scope: Scope): boolean => !scope.startsWith('account ');
  database.write = (scopes, work, when) => write(scopes.filter(isLeft), work, when);
  return database;
}
