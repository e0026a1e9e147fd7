// What administrators and disks do to a ledger below the database seam: it is copied, put back or lost, it refuses a write, and is searched for what it must
// not hold.
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { placeOf } from '../ledger-places.ts';
import { copySchema, dropSchema, dumped, makeSchemaLater, refuseInSchema, sayToSchema } from './ledger-schemas.ts';

export type LedgerName = 'gateway' | 'core';

const LEDGERS: readonly LedgerName[] = ['gateway', 'core'];

/** An administrator's copy waits for commits of a daemon as long as this. */
const BUSY_TIMEOUT_MS = 30_000;

export function ledgerFile(data: string, name: LedgerName = 'gateway'): string {
  return join(data, `${name}.db`);
}

/** Copies the ledger in a data folder into another folder, as the administrator's manual says, also while it is in use. */
export function copyLedger(data: string, folder: string, name: LedgerName = 'gateway'): void {
  const [from, to] = [ledgerFile(data, name), ledgerFile(folder, name)];
  if (placeOf(from)) {
    copySchema(from, to);
    return;
  }
  const ledger = new DatabaseSync(from, { timeout: BUSY_TIMEOUT_MS });
  ledger.exec(`vacuum into '${to}'`);
  ledger.close();
}

/** Puts a copy in place of the ledger, which is not in use. */
export function restoreLedger(data: string, folder: string, name: LedgerName = 'gateway'): void {
  removeLedger(data, name);
  const [from, to] = [ledgerFile(folder, name), ledgerFile(data, name)];
  if (placeOf(from)) copySchema(from, to);
  else copyFileSync(from, to);
}

export function removeLedger(data: string, name: LedgerName = 'gateway'): void {
  const file = ledgerFile(data, name);
  if (placeOf(file)) dropSchema(file);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** The gateway's ledger refuses such writes as a full disk does, until this is disposed. `when`: of which new rows, in SQL. */
export function refuseWrites(data: string, writes: string, when?: string): Disposable {
  const file = ledgerFile(data);
  if (placeOf(file)) return refuseInSchema(file, writes, when);
  const ledger = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  const condition = when === undefined ? '' : `when ${when}`;
  ledger.exec(`create trigger refusing before ${writes} ${condition} begin select raise(abort, 'the disk is full'); end`);
  return {
    [Symbol.dispose]() {
      ledger.exec('drop trigger refusing');
      ledger.close();
    },
  };
}

/** The gateway's ledger cannot read the table, as while a database is away, until this is disposed. */
export function refuseReads(data: string, table: string): Disposable {
  const file = ledgerFile(data);
  const [lose, find] = [`alter table ${table} rename to lost`, `alter table lost rename to ${table}`];
  if (placeOf(file)) {
    sayToSchema(file, lose);
    return { [Symbol.dispose]: () => sayToSchema(file, find) };
  }
  const ledger = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  ledger.exec(lose);
  return {
    [Symbol.dispose]() {
      ledger.exec(find);
      ledger.close();
    },
  };
}

/** A later version of Dropgate has worked on it. */
export function makeLater(data: string, name: LedgerName = 'gateway'): void {
  const file = ledgerFile(data, name);
  if (placeOf(file)) {
    makeSchemaLater(file);
    return;
  }
  using database = new DatabaseSync(file);
  database.exec('update schema_version set version = 999');
}

/** All that is kept in a data folder, and of its ledgers wherever they are: by file, or by ledger. */
export function keptIn(data: string): Map<string, NonSharedBuffer> {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const kept = new Map(files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]));
  for (const file of LEDGERS.map((name) => ledgerFile(data, name))) if (placeOf(file)) kept.set(file, dumped(file));
  return kept;
}
