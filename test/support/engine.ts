// On which database engine the ledgers of this run's tests are: SQLite, or with DROPGATE_TEST_DATABASE=postgres PostgreSQL.
import { join } from 'node:path';

export const isOnPostgres = process.env.DROPGATE_TEST_DATABASE === 'postgres';

const POSTGRES = {
  resolve: { alias: { '#engines/open.ts': join(import.meta.dirname, 'open-on-postgres.ts') } },
};

/** Of a project whose tests run on either. */
export const engine: Partial<typeof POSTGRES> = isOnPostgres ? POSTGRES : {};
