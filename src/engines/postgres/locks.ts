// Scopes of writes as advisory locks, which a transaction holds until it has ended.
import { hash } from 'node:crypto';

/** The lock of a name, as SQL has it: a number, the same in every process. */
export function numberOf(schema: string, name: string): bigint {
  return hash('sha256', `${schema} ${name}`, 'buffer').readBigInt64BE();
}

export function lockOf(schema: string, name: string): string {
  return `select ${locked(schema, name)};`;
}

const locked = (schema: string, name: string): string => `pg_advisory_xact_lock(${numberOf(schema, name)})`;

/**
 * Begins a transaction that holds the scopes, and tells its id and whether `claimed`, the lock of a name, is lost: nobody shares it while it is
 * held. All take their locks in one order, that of their names: what a select asks for is worked out from left to right. So none waits for another in a
 * circle. Each statement after it sees what was committed by then: a snapshot is never older than the locks.
 */
export function beginWith(schema: string, scopes: readonly string[], claimed: bigint | null): string {
  const asked = [...new Set(scopes)].sort().map((scope) => locked(schema, scope));
  asked.push('pg_current_xact_id()::text as id');
  if (claimed !== null) asked.push(`pg_try_advisory_xact_lock_shared(${claimed}) as lost`);
  return `begin isolation level read committed; select ${asked.join(', ')}`;
}
