// The rows of a file as of one moment, also while others write.
import type { Kysely } from 'kysely';
import { openConnection } from './connection.ts';
import { writtenRows } from './rows.ts';

/** A transaction that only reads, which SQLite gives its rows as of the first one that was read. */
export function openSqliteSnapshot<Tables>(path: string): { readonly read: Kysely<Tables>; close(): Promise<void> } {
  const connection = openConnection(path, true);
  connection.exec('begin; select 1 from sqlite_schema');
  return { read: writtenRows(connection), close: async () => connection.close() };
}
