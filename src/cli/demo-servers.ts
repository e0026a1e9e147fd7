// PostgreSQL and Redis for a demo: servers of its own, from the programs that are installed on this machine, in folders that go with it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { STEP_MS_MAX, type Stage } from './demo-stage.ts';

const HOST = '127.0.0.1';
/** The database's superuser, and the role that the nodes work by. */
const ROLE = 'dropgate';
/** Where Debian has the programs, a folder for each version; they are not on PATH there. */
const DEBIAN = '/usr/lib/postgresql';
const READY = /ready to accept connections/i;
const OUTPUT_LETTERS_MAX = 4_096;
const run = promisify(execFile);

export interface Servers {
  /** As settings name them. */
  readonly databaseUrl: string;
  readonly queueUrl: string;
  /** What they are, for a sentence. */
  readonly names: string;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** A sentence that says what to install; null where all is there. */
export async function missingServers(): Promise<string | null> {
  const wanted = [
    { program: 'initdb', name: 'PostgreSQL', packageName: 'postgresql', said: await versionOf(postgresProgram('initdb')) },
    { program: 'redis-server', name: 'Redis', packageName: 'redis-server', said: await versionOf('redis-server') },
  ];
  const absent = wanted.filter(({ said }) => said === null);
  if (absent.length === 0) return null;
  const named = absent.map(({ name, program }) => `${name} (${program})`).join(' and ');
  return `demo --cluster starts servers of its own from what is installed, and ${named} is not: apt install ${absent.map(({ packageName }) => packageName).join(' ')}.`;
}

/** Starts both. Throws `usage` where PostgreSQL would have to run as root, `internal` with what a server said that does not start. */
export async function startServers(stage: Stage): Promise<Servers> {
  const [databaseUrl, queueUrl] = await Promise.all([startPostgres(stage), startRedis(stage)]);
  const versions = [await versionOf(postgresProgram('postgres')), await versionOf('redis-server')];
  return { databaseUrl, queueUrl, names: `PostgreSQL ${versions[0]} and Redis ${versions[1]}` };
}

/** Reached by a unix socket in its folder, and by nobody else than its user. */
async function startPostgres(stage: Stage): Promise<string> {
  const folder = join(stage.folder, 'postgres');
  mkdirSync(folder);
  const user = userFor(folder);
  const data = join(folder, 'data');
  const how = { ...user, cwd: folder };
  const initial = [`--pgdata=${data}`, `--username=${ROLE}`, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const initialising = run(postgresProgram('initdb'), initial, how);
  stage.start(() => endedBy(initialising.child, 'SIGKILL'));
  await initialising.catch((error) => {
    throw systemCode(error) === 'EPERM' ? rootOnly() : new AppError('internal', `initdb failed: ${saidBy(error)}`, { cause: error });
  });
  const settings = { listen_addresses: '', unix_socket_directories: folder, unix_socket_permissions: '0700', max_connections: '200' };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // At SIGQUIT it ends at once with all of its processes: what it has written goes anyway.
  await startServer(stage, postgresProgram('postgres'), ['-D', data, ...given], how, 'SIGQUIT');
  return `postgres://${ROLE}@${encodeURIComponent(folder)}/postgres`;
}

async function startRedis(stage: Stage): Promise<string> {
  const folder = join(stage.folder, 'redis');
  mkdirSync(folder);
  const port = await freePort();
  const settings = { port: String(port), bind: HOST, dir: folder, save: '', appendonly: 'no' };
  const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  await startServer(stage, 'redis-server', given, { cwd: folder }, 'SIGKILL');
  return `redis://${HOST}:${port}/0`;
}

/** Resolves when it says that it is ready. */
async function startServer(
  stage: Stage,
  program: string,
  args: readonly string[],
  how: User & { readonly cwd: string },
  endsBy: NodeJS.Signals,
): Promise<void> {
  const child = spawn(program, args, { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
  stage.start(() => endedBy(child, endsBy));
  let output = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_LETTERS_MAX);
      if (READY.test(output)) ready.resolve();
    });
  }
  const failed = (what: string): void => ready.reject(new AppError('internal', `${program} ${what}: ${output.trim()}`));
  child.on('exit', () => failed('has ended'));
  const late = setTimeout(() => failed('does not get ready'), STEP_MS_MAX);
  await ready.promise.finally(() => clearTimeout(late));
}

function endedBy(child: ChildProcess, signal: NodeJS.Signals): AsyncDisposable {
  const ended = once(child, 'close').catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      child.kill(signal);
      await ended;
    },
  };
}

/** PostgreSQL refuses to run as root, so another user gets its folder. */
function userFor(folder: string): User {
  chmodSync(folder, 0o700);
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = (/^(?:postgres|nobody):.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0] ?? '').split(':').map(Number);
  if (!uid || !gid) throw rootOnly();
  try {
    chownSync(folder, uid, gid);
  } catch (error) {
    throw systemCode(error) === 'EPERM' ? rootOnly() : error;
  }
  return { uid, gid };
}

function rootOnly(): AppError {
  return new AppError(
    'usage',
    'PostgreSQL does not run as root, and nothing can be started here as another user: run the demo as an ordinary one.',
  );
}

/** The newest of Debian's, or what PATH has of that name. */
function postgresProgram(name: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(DEBIAN, version, 'bin', name)).find(existsSync) ?? name;
}

/** Null where the program is not there. */
async function versionOf(program: string): Promise<string | null> {
  try {
    const { stdout } = await run(program, ['--version']);
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? '';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new AppError('internal', `${program} failed: ${saidBy(error)}`, { cause: error });
  }
}

function saidBy(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
