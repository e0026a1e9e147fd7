// A backup as docs/operations.md makes it without our command: a dump by the programs of PostgreSQL, and then a copy of the files.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestDaemon } from './daemon.ts';
import type { PostgresDatabase } from './postgres.ts';
import { postgresPrograms } from './postgres-server.ts';

const execute = promisify(execFile);

/** In this order: what is moved on while it is copied lies in what is copied later. */
const FILES = ['keys', 'archive', 'audit', 'staged', 'homes', 'spool'];

const folderOf = ({ folder }: Pick<TestDaemon, 'folder'>): string => join(folder, 'by-hand');

/** Beside the data folder, while the daemon works. */
export async function backUpByHand(daemon: Pick<TestDaemon, 'folder' | 'data'>, { place }: Pick<PostgresDatabase, 'place'>): Promise<void> {
  const folder = folderOf(daemon);
  mkdirSync(folder);
  await program('pg_dump', place, ['--format=custom', `--file=${join(folder, 'dump')}`, place.database]);
  await copyFiles(daemon.data, folder, unlessMovedOn);
}

/** Into an empty database, and the data folder, which is not there. */
export async function restoreByHand(
  daemon: Pick<TestDaemon, 'folder' | 'data'>,
  { place }: Pick<PostgresDatabase, 'place'>,
): Promise<void> {
  const folder = folderOf(daemon);
  mkdirSync(daemon.data);
  await copyFiles(folder, daemon.data, rethrow);
  await program('pg_restore', place, [`--dbname=${place.database}`, join(folder, 'dump')]);
}

async function copyFiles(from: string, to: string, failed: (error: unknown) => void): Promise<void> {
  for (const name of FILES) if (existsSync(join(from, name))) await execute('cp', ['-a', join(from, name), join(to, name)]).catch(failed);
}

function program(name: string, place: PostgresDatabase['place'], args: readonly string[]): Promise<unknown> {
  const env = { PGHOST: place.host, PGPORT: String(place.port), PGUSER: place.user, PGPASSWORD: place.password ?? '' };
  return execute(join(postgresPrograms() ?? '', name), ['--no-password', ...args], { env });
}

function rethrow(error: unknown): never {
  throw error;
}

function unlessMovedOn(error: unknown): void {
  const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trimEnd().split('\n') : [];
  if (told.length === 0 || !told.every((line) => line.endsWith('No such file or directory'))) throw error;
}
