// Scopes of writes as advisory locks, which a transaction holds until it has ended.
import { createHash } from 'node:crypto';

/** The lock of a name, as SQL has it: a number, the same in every process. */
export function lockOf(schema: string, name: string): string {
  const number = createHash('sha256').update(`${schema} ${name}`).digest().readBigInt64BE();
  return `select pg_advisory_xact_lock(${number});`;
}

/**
 * Begins a transaction that holds the scopes, and tells its id. All take their locks in one order, so that none waits for another in a circle. Each
 * statement after it sees what was committed by then: a snapshot is never older than the locks.
 */
export function beginWith(schema: string, scopes: readonly string[]): string {
  const locks = [...new Set(scopes)].map((scope) => lockOf(schema, scope)).sort();
  return `begin isolation level read committed; ${locks.join(' ')} select pg_current_xact_id()::text as id`;
}
