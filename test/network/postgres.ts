// A PostgreSQL cluster of its own on loopback, in a temporary folder, as a user without rights: as root the server refuses to start.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const FOLDER = '/usr/lib/postgresql';
const READY_WITHIN_MS = 120_000;

export interface Postgres extends AsyncDisposable {
  readonly version: string;
  /** Makes a database of its own, and tells how Java reaches it. */
  database(name: string): string;
}

export const POSTGRES_USER = 'dropgate';

/** Where its programs are; undefined when they are not installed. */
export function findPostgres(): string | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const folders = readdirSync(FOLDER).map((version) => join(FOLDER, version, 'bin'));
  return folders.sort().findLast((folder) => existsSync(join(folder, 'initdb')));
}

export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-postgres-'));
  const data = join(folder, 'data');
  const user = userWithoutRights();
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) for (const each of [folder, data]) chownSync(each, user, user);
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' }, ...(user !== undefined && { uid: user, gid: user }) };
  const called = (program: string, ...args: string[]): string =>
    execFileSync(join(programs, program), args, { ...options, encoding: 'utf8', stdio: 'pipe' });
  called('initdb', '--pgdata', data, '--username', POSTGRES_USER, '--auth', 'trust', '--no-sync', '--encoding', 'UTF8');
  const port = await freePort();
  const at = ['--host', '127.0.0.1', '--port', `${port}`, '--username', POSTGRES_USER];
  const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', folder];
  const server = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
  await until('PostgreSQL to answer', () => succeeds(() => called('pg_isready', ...at)), READY_WITHIN_MS);
  return {
    version: called('postgres', '--version').trim(),
    database(name) {
      called('createdb', ...at, name);
      return `jdbc:postgresql://127.0.0.1:${port}/${name}`;
    },
    async [Symbol.asyncDispose]() {
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of root only: everybody else is without rights. */
function userWithoutRights(): number | undefined {
  return process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })) : undefined;
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** At once: nothing in it is wanted again. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGQUIT');
  await exit;
}
