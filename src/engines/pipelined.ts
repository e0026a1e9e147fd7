// Statements that do not need each other's answers.

/**
 * Waits for statements that were begun one behind the other, and are run in that order; PostgreSQL is sent them without waiting. When one fails,
 * throws its error after all have been answered, so that none is run behind the rollback.
 */
export async function pipelined<const Statements extends readonly (Promise<unknown> | undefined)[]>(
  ...statements: Statements
): Promise<{ -readonly [Place in keyof Statements]: Awaited<Statements[Place]> }> {
  await Promise.allSettled(statements);
  return Promise.all(statements);
}
