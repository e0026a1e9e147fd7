// On which database engine the ledgers of this run's tests are: SQLite, or with DROPGATE_TEST_DATABASE=postgres PostgreSQL.
import { join } from 'node:path';

export const isOnPostgres = process.env.DROPGATE_TEST_DATABASE === 'postgres';

const POSTGRES = {
  resolve: { alias: { '#engines/open.ts': join(import.meta.dirname, 'open-on-postgres.ts') } },
};

/** Of a project whose tests run on either. */
export const engine: Partial<typeof POSTGRES> = isOnPostgres ? POSTGRES : {};

/** For tests that mean nothing on the other engine, whose run says at its end that they were left out. */
export function isOn(wanted: 'SQLite' | 'PostgreSQL', what: string): boolean {
  const isIt = isOnPostgres === (wanted === 'PostgreSQL');
  if (!isIt) console.warn(`\n*** ${what}: tests of ${wanted}, which are SKIPPED on the other engine ***\n`);
  return isIt;
}
