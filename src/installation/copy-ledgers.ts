// Moves the rows of both ledgers between SQLite and PostgreSQL, and compares them.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#domain/error.ts';
import { type Compared, compareDatabases, copyDatabase } from '#engines/copy.ts';
import type { Config } from '#runtime/config/config.ts';
import { LEDGER_PLACES, LEDGERS_OF, type LedgerName } from './ledger-places.ts';

interface Copied {
  /** Where the rows are now, for sentences. */
  readonly place: string;
  readonly tables: readonly (Compared & { readonly ledger: LedgerName })[];
  /** What to do where a table differs. */
  readonly remedy: string;
}

/** Throws `usage` where they are there already, `missing` where there is nothing to copy, `exists` with what to do where the target holds rows. */
export async function copyLedgers(config: Config, url: Config['database']['url'], progress: (text: string) => void): Promise<Copied> {
  const target = { ...config, database: { ...config.database, url } };
  if (isDeepStrictEqual(url, config.database.url))
    throw new AppError('usage', `The ledgers are in ${nameOf(config)} already: --to names where they are to be.`);
  const tables = [];
  for (const ledger of LEDGERS_OF[config.role]) {
    progress(`${ledger}: the ledger is being copied …`);
    for (const compared of await copy(ledger, config, target)) tables.push({ ledger, ...compared });
  }
  if (tables.every(({ rows }) => rows === 0)) throw new AppError('missing', `There are no rows in ${nameOf(config)}: nothing was copied.`);
  return { place: nameOf(target), tables, remedy: `${remedyIn(target)}, see that nothing works on the ledgers, and copy again` };
}

async function copy(ledger: LedgerName, from: Config, to: Config): Promise<Compared[]> {
  const { schema, placeIn } = LEDGER_PLACES[ledger];
  try {
    await copyDatabase(placeIn(from), placeIn(to), schema, nameOf(to));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'exists') throw error;
    const sentence = `${error.message} Where nobody needs them, as after a copy that was interrupted: ${remedyIn(to)}, and copy again.`;
    throw new AppError('exists', sentence, { cause: error });
  }
  return compareDatabases(placeIn(from), placeIn(to), schema);
}

function nameOf({ data, database: { url } }: Config): string {
  return url === null ? `the data folder ${data}` : `the database ${url.database} at ${url.host}`;
}

function remedyIn({ database: { url } }: Config): string {
  return url === null
    ? 'move core.db and gateway.db away, with their -wal and -shm'
    : 'drop schema dropgate_core, dropgate_gateway cascade';
}
