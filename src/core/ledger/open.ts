// Opens the core's ledger, for the core itself and for commands that work on it.
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { type Ledger, migrations, type Tables } from './schema.ts';

/** Opens the ledger, and makes it when it is not there. */
export function openCoreLedger(path: string): Promise<Ledger> {
  return openSqlite<Tables>(path, migrations);
}
