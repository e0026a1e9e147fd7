// What an error of PostgreSQL, or of the way to it, means for those who asked.
import pg from 'pg';
import { AppError } from '#domain/error.ts';

/**
 * Classes of SQLSTATE that say nothing against the statement: connection, a rollback for the sake of others, resources (a full disk), an operator
 * who stops the server, system and internal errors; a server that has become a standby, and a transaction that stood still for too long.
 */
const AWAY = /^(?:08|40|53|57|58|XX|25006|25P03)/;

/** After these the server closes the connection. */
const LAST_WORDS = /^(?:08|57P|25P03)/;

const NO_ANSWER = '08000';

/** Said to those who ask over HTTP. */
const RETRY_AFTER_S = 5;

/** The error itself where the statement was wrong or broke a constraint; `storage` where the database is away or cannot now. */
export function shown(error: unknown): unknown {
  if (error instanceof AppError || !AWAY.test(codeOf(error) ?? NO_ANSWER)) return error;
  return new AppError('storage', 'The database does not answer; try again later.', {
    cause: error,
    facts: { retryAfterSeconds: RETRY_AFTER_S, isAway: true },
  });
}

/** Whether the transaction was rolled back for the sake of others, and may be run again. */
export function isRolledBackForOthers(error: unknown): boolean {
  return codeOf(error)?.startsWith('40') ?? false;
}

export function endsSession(error: unknown): boolean {
  return LAST_WORDS.test(codeOf(error) ?? NO_ANSWER);
}

/** SQLSTATE; undefined when it was not the server that spoke. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
