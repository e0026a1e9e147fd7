// Connections to a file of SQLite, set up for a ledger.
import { DatabaseSync } from 'node:sqlite';
import { LOG_PAGES_MAX } from './checkpoints.ts';

/** For another process to end its commit, a command's or the daemon's: disks of shared machines stand still for seconds. */
const BUSY_TIMEOUT_MS = 20_000;

export function openConnection(path: string, readOnly: boolean): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000');
  connection.exec(`pragma wal_autocheckpoint = ${LOG_PAGES_MAX}`);
  // Pages as they were before a savepoint; in files, they take more of the system's time than the commit.
  connection.exec('pragma temp_store = memory');
  // What is deleted is overwritten in its page, so that an account which is erased is not found in the file.
  connection.exec('pragma secure_delete = on');
  if (readOnly) connection.exec('pragma query_only = on');
  return connection;
}
