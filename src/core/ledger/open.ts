// Opens the core's ledger, for the core itself and for commands that work on it.
import { sql } from 'kysely';
import { type DatabaseServer, openDatabase } from '#engines/open.ts';
import { coreSchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openCoreLedger(path: string, server: DatabaseServer | null = null): Promise<Ledger> {
  return openDatabase(server ? { ...server, schema: 'dropgate_core' } : path, coreSchema);
}

/** Resolves when it answers. */
export async function askLedger(ledger: Ledger): Promise<void> {
  await sql`select 1`.execute(ledger.read);
}
