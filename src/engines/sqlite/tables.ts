// The tables of a database file: made when it is new, and refused when another version of their schema made them.
import type { DatabaseSync } from 'node:sqlite';
import { checkVersion, type Kind, type Schema, statementsFor } from '#engines/schema.ts';

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'integer',
  blob: 'blob',
  key: 'integer primary key autoincrement',
};

/** `begin immediate` around the whole, so that of two processes that start together one makes them. Throws `usage`. */
export function ensureTables(connection: DatabaseSync, path: string, schema: Schema): void {
  connection.exec('begin immediate');
  try {
    const tables = connection.prepare(`select name from sqlite_schema where type = 'table'`).all();
    if (tables.length === 0) makeTables(connection, schema);
    else checkVersion(path, tables.some(({ name }) => name === 'schema_version') ? versionOf(connection) : null, schema);
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
}

function makeTables(connection: DatabaseSync, schema: Schema): void {
  for (const statement of statementsFor(schema, WORDS)) connection.exec(statement);
  connection.exec(`create table schema_version (version integer not null); insert into schema_version values (${schema.version})`);
}

function versionOf(connection: DatabaseSync): number | null {
  const row = connection.prepare('select version from schema_version').get();
  return row ? Number(row.version) : null;
}
