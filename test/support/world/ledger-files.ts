// What administrators and disks do to a ledger below the database seam: its files are copied, put back or lost, and it refuses a write.
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type LedgerName = 'gateway' | 'core';

/** An administrator's copy waits for commits of a daemon as long as this. */
const BUSY_TIMEOUT_MS = 30_000;

export function ledgerFile(data: string, name: LedgerName = 'gateway'): string {
  return join(data, `${name}.db`);
}

/** Copies the ledger in a data folder into another folder, as the administrator's manual says, also while it is in use. */
export function copyLedger(data: string, folder: string, name: LedgerName = 'gateway'): void {
  const ledger = new DatabaseSync(ledgerFile(data, name), { timeout: BUSY_TIMEOUT_MS });
  ledger.exec(`vacuum into '${ledgerFile(folder, name)}'`);
  ledger.close();
}

/** Puts a copy in place of the ledger, which is not in use. */
export function restoreLedger(data: string, folder: string, name: LedgerName = 'gateway'): void {
  removeLedger(data, name);
  copyFileSync(ledgerFile(folder, name), ledgerFile(data, name));
}

export function removeLedger(data: string, name: LedgerName = 'gateway'): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${ledgerFile(data, name)}${end}`, { force: true });
}

/** The gateway's ledger refuses such writes as a full disk does, until this is disposed. */
export function refuseWrites(data: string, writes: string): Disposable {
  const ledger = new DatabaseSync(ledgerFile(data), { timeout: BUSY_TIMEOUT_MS });
  ledger.exec(`create trigger refusing before ${writes} begin select raise(abort, 'the disk is full'); end`);
  return {
    [Symbol.dispose]() {
      ledger.exec('drop trigger refusing');
      ledger.close();
    },
  };
}

/** A later version of Dropgate has worked on it. */
export function makeLater(data: string, name: LedgerName = 'gateway'): void {
  using database = new DatabaseSync(ledgerFile(data, name));
  database.exec('update schema_version set version = 999');
}
