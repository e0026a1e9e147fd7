// Opens the core's ledger, for the core itself and for commands that work on it.
import type { Timed } from '#engines/database.ts';
import { type DatabasePlace, type DatabaseServer, openDatabase } from '#engines/open.ts';
import { coreSchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openCoreLedger(path: string, server: DatabaseServer | null = null, timed?: Timed): Promise<Ledger> {
  return openDatabase(corePlace(path, server), coreSchema, timed);
}

/** A file unless there is a server. */
export function corePlace(path: string, server: DatabaseServer | null): DatabasePlace {
  return server ? { ...server, schema: 'dropgate_core' } : path;
}
