// Opens the core's ledger, for the core itself and for commands that work on it.
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Timed } from '#engines/database.ts';
import { type DatabasePlace, type DatabaseServer, openDatabase } from '#engines/open.ts';
import { coreSchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openCoreLedger(path: string, server: DatabaseServer | null = null): Promise<Ledger> {
  return openDatabase(corePlace(path, server), coreSchema);
}

/** The same for a core, which keeps others away as long as it runs. Throws `locked` where there is one. */
export async function openLedgerOfCore(path: string, server: DatabaseServer | null = null, timed?: Timed): Promise<Ledger> {
  const ledger = await openDatabase(corePlace(path, server), coreSchema, { timed, ...(server && { process: processOf(path) }) });
  if (await ledger.claim('core', async () => true)) return ledger;
  await ledger.close();
  throw new AppError('locked', 'Another core works on this database: stop it, or give this one a database of its own (database.url).');
}

/** The same for each core of a data folder, of which one runs at a time, and no other's. */
function processOf(path: string): string {
  const { ino, birthtimeMs } = statSync(dirname(path));
  return `core ${hash('sha256', `${ino} ${birthtimeMs}`).slice(0, 16)}`;
}

/** A file unless there is a server. */
export function corePlace(path: string, server: DatabaseServer | null): DatabasePlace {
  return server ? { ...server, schema: 'dropgate_core' } : path;
}
