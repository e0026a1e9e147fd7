// Opens the core's ledger, for the core itself and for commands that work on it.
import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Timed } from '#engines/database.ts';
import { type DatabasePlace, type DatabaseServer, openDatabase } from '#engines/open.ts';
import { folderIdentity } from '#runtime/files/folder-identity.ts';
import type { Log } from '#runtime/log.ts';
import { coreSchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openCoreLedger(path: string, server: DatabaseServer | null = null): Promise<Ledger> {
  return openDatabase(corePlace(path, server), coreSchema);
}

interface CoreOfLedger {
  readonly path: string;
  readonly server: DatabaseServer | null;
  /** Of this start. */
  readonly incarnation: string;
  /** Its name among several cores of one database; null where it is alone. */
  readonly node: string | null;
  readonly timed?: Timed | undefined;
  readonly log: Log;
}

/** Which a core without a name has alone, and those with a name share. */
const COMMON = 'core';

/** The same for a core, which keeps others away as long as it runs, unless both have a name. Throws `locked` where there is one. */
export async function openLedgerOfCore({ path, server, incarnation, node, timed, log }: CoreOfLedger): Promise<Ledger> {
  const own = processOfCore(incarnation);
  const process = node === null ? ofDataFolder(path) : own;
  const ledger = await openDatabase(corePlace(path, server), coreSchema, { timed, log, ...(server && { process }) });
  try {
    if (await ledger.claim(own, async () => true, { name: COMMON, isAlone: node === null })) return ledger;
    throw new AppError(
      'locked',
      'Another core works on this database: stop it, give this one a database of its own (database.url), or give each of them a name (node).',
    );
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** For a command that needs it for itself, and acts for the core of this data folder: none starts meanwhile. Throws `locked` where one works on it. */
export async function openCoreLedgerAlone(path: string, server: DatabaseServer | null, incarnation: string): Promise<Ledger> {
  const ledger = await openDatabase(corePlace(path, server), coreSchema, { ...(server && { process: ofDataFolder(path) }) });
  try {
    if (await ledger.claim(processOfCore(incarnation), async () => true, { name: COMMON, isAlone: true })) return ledger;
    throw new AppError('locked', 'Another core works on this database: stop it first.');
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** The name of a core's process. */
export function processOfCore(incarnation: string): string {
  return `core ${incarnation}`;
}

/** The same for each core of a data folder, of which one runs at a time: the next one ends what it has left. That of a copied machine may be the same. */
function ofDataFolder(path: string): string {
  return `core ${hash('sha256', folderIdentity(dirname(path))).slice(0, 16)}`;
}

/** A file unless there is a server. */
export function corePlace(path: string, server: DatabaseServer | null): DatabasePlace {
  return server ? { ...server, schema: 'dropgate_core' } : path;
}
