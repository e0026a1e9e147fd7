// Opens the core's ledger, for the core itself and for commands that work on it.
import { openDatabase } from '#engines/open.ts';
import { coreSchema, type Ledger } from './schema.ts';

/** Opens the ledger, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openCoreLedger(path: string): Promise<Ledger> {
  return openDatabase(path, coreSchema);
}
