// A PostgreSQL server of our own: Debian's programs, a new cluster in a folder, on a free port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { certified } from './certificates.ts';
import { freePort } from './free-port.ts';
import { LONG_MS } from './patience.ts';
import { until } from './until.ts';

/** Ordinary: it may do nothing but own its databases. */
export const ROLE = { user: 'dropgate', password: 'secret' };

const CREATE_ROLE = `create role ${ROLE.user} login password '${ROLE.password}'`;

const DEBIAN = '/usr/lib/postgresql';
const HOST = '127.0.0.1';

/** Where the newest programs are, or those that DROPGATE_TEST_POSTGRES_PROGRAMS names; undefined when there are none. */
export function postgresPrograms(): string | undefined {
  const { PATH = '', DROPGATE_TEST_POSTGRES_PROGRAMS: named } = process.env;
  if (named !== undefined) return named;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...PATH.split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** The first number of it. */
  readonly version: number;
  /** Of the superuser, `postgres`. */
  readonly password: string;
  /** Of its certificate, which names `localhost` and 127.0.0.1; PEM. */
  readonly authority: string;
  /** With its unix socket. */
  readonly folder: string;
}

export interface StartedPostgres extends AsyncDisposable {
  readonly server: PostgresServer;
  /** To all its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Of the process above all of its processes, when it was started first. */
  readonly pid: number;
  /** Of the process that all others are children of, with SIGQUIT as `pg_ctl stop --mode=immediate`: it writes nothing more, and recovers when it is started again. */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Resolves when it answers; where it has ended, it is started on what is there. */
  restart(): Promise<void>;
}

export interface PostgresOptions {
  /** In postgresql.conf's words. */
  readonly settings?: Readonly<Record<string, string>>;
  /** For initdb. */
  readonly initial?: readonly string[];
  /** Where its folder is made. */
  readonly parent?: string;
  /** Makes what lies in its data folder, in place of initdb. */
  readonly fill?: (data: string, run: RunProgram) => Promise<void>;
}

/** Runs one of PostgreSQL's programs to its end, as the user whose the server is. */
export type RunProgram = (program: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<void>;

/**
 * Starts it; when the pipe closes, however the process at its other end has ended, ends it and removes its folder. Ends with it otherwise.
 */
const SCRIPT = `exec 3<&0
"$0" "$@" 3<&- & server=$!
{ cat <&3 > /dev/null; kill -QUIT $server; while kill -0 $server 2> /dev/null; do sleep 0.05; done; rm -rf "$PWD"; } & watcher=$!
wait $server; kill $watcher`;

/** It ends with this process at the latest, and nothing of it stays. */
export async function startPostgres({
  settings: differs = {},
  initial = [],
  parent = tmpdir(),
  fill,
}: PostgresOptions = {}): Promise<StartedPostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not here');
  const folder = mkdtempSync(join(parent, 'dropgate-postgres-'));
  const version = versionOf(join(programs, 'postgres'));
  const server = { host: HOST, port: await freePort(), version, password: 'super secret', authority: '', folder };
  const own = { ...userOf(folder), cwd: folder };
  const log = openSync(join(folder, 'log'), 'w');
  const authority = makeFiles(folder, server.password, own);
  const data = join(folder, 'data');
  const run: RunProgram = async (program, args, env = {}) => {
    const ran = spawn(join(programs, program), args, { ...own, env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
    const [status] = await once(ran, 'exit');
    if (status !== 0) throw new Error(`${program} failed: ${readFileSync(join(folder, 'log'), 'utf8')}`);
  };
  await (fill ? fill(data, run) : initialise(folder, initial, run));
  const settings = {
    listen_addresses: HOST,
    port: server.port,
    unix_socket_directories: folder,
    max_connections: 200,
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.crt'),
    ssl_key_file: join(folder, 'server.key'),
    ...differs,
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = (): ChildProcess =>
    spawn('/bin/sh', ['-c', SCRIPT, join(programs, 'postgres'), '-D', data, ...given], {
      ...own,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', log, log],
    });
  const postmasterOf = (): number => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  let child = launch();
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const answering = (statement: string): Promise<unknown> => {
    const isUp = (): Promise<boolean> => {
      // It ends by itself while processes of the one before still run.
      if (hasEnded()) child = launch();
      return answers(server, statement);
    };
    return until('PostgreSQL to answer', isUp, LONG_MS).catch((error: unknown) => {
      throw new Error(`${error}\n${readFileSync(join(folder, 'log'), 'utf8')}`);
    });
  };
  await answering(fill ? 'select 1' : CREATE_ROLE);
  return {
    server: { ...server, authority },
    signal(signal) {
      const postmaster = postmasterOf();
      const others = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
      for (const id of [postmaster, ...others]) process.kill(Number(id), signal);
    },
    pid: child.pid ?? 0,
    async crash(signal = 'SIGQUIT') {
      const ended = once(child, 'exit');
      process.kill(postmasterOf(), signal);
      await ended;
    },
    restart: async () => void (await answering('select 1')),
    async [Symbol.asyncDispose]() {
      const ended = hasEnded() || once(child, 'exit');
      child.stdin?.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function versionOf(program: string): number {
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/\d+/.exec(said)?.[0]);
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root. */
function userOf(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const entry = /^(?:postgres|nobody):.*$/m;
  const users = readFileSync('/etc/passwd', 'utf8');
  const [, , uid, gid] = (entry.exec(users)?.[0] ?? '').split(':').map(Number);
  chownSync(folder, uid ?? 65_534, gid ?? 65_534);
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
}

/** What the server reads, and what others find there: its password and its certificate. Resolves with the authority. */
function makeFiles(folder: string, password: string, { uid, gid }: User): string {
  const authority = certified({ name: 'Authority of the database', kind: 'ec', isAuthority: true });
  const names = { ip: [HOST], dns: ['localhost'] };
  const { certificate, key } = certified({ name: 'database', kind: 'ec', by: authority, names });
  for (const [name, text] of Object.entries({ password, 'server.crt': certificate, 'server.key': key })) {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, 0o600);
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(join(folder, 'data'), uid, gid);
  return authority.certificate;
}

async function initialise(folder: string, initial: readonly string[], run: RunProgram): Promise<void> {
  const given = ['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8', '--username=postgres', '--auth=scram-sha-256'];
  const files = [`--pgdata=${join(folder, 'data')}`, `--pwfile=${join(folder, 'password')}`];
  await run('initdb', [...given, ...files, ...initial]);
}

async function answers({ host, port, password }: PostgresServer, statement: string): Promise<boolean> {
  const client = new pg.Client({ host, port, user: 'postgres', password, database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(statement);
    await client.end();
    return true;
  } catch {
    return false;
  }
}
