// A PostgreSQL server of our own: Debian's programs, a new cluster in a folder, on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Where the newest programs are; undefined when there are none. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
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
  /** As `pg_ctl stop --mode=immediate`: it writes nothing more, and recovers when it is started again. */
  crash(): Promise<void>;
  /** After a crash; resolves when it answers. */
  restart(): Promise<void>;
}

/** It ends with this process at the latest, and nothing of it stays. `differs`: settings, in postgresql.conf's words. */
export async function startPostgres(differs: Readonly<Record<string, string>> = {}): Promise<StartedPostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not here');
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-postgres-'));
  const server = { host: HOST, port: await freePort(), password: 'super secret', authority: '', folder };
  const own = { ...userOf(folder), cwd: folder };
  const log = openSync(join(folder, 'log'), 'w');
  const authority = makeFiles(folder, server.password, own);
  const data = join(folder, 'data');
  await initialise(join(programs, 'initdb'), folder, own, log);
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
  // The pipe closes when this process is gone, however it ended.
  const script = '"$0" "$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; rm -rf "$PWD"';
  const children: ChildProcess[] = [];
  const launch = (): void => {
    children.push(
      spawn('/bin/sh', ['-c', script, join(programs, 'postgres'), '-D', data, ...given], {
        ...own,
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['pipe', log, log],
      }),
    );
  };
  const postmasterOf = (): string => readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? '';
  launch();
  await until('PostgreSQL to answer', () => answers(server, CREATE_ROLE), LONG_MS).catch((error: unknown) => {
    throw new Error(`${error}\n${readFileSync(join(folder, 'log'), 'utf8')}`);
  });
  return {
    server: { ...server, authority },
    signal(signal) {
      const postmaster = postmasterOf();
      const others = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
      for (const id of [postmaster, ...others]) process.kill(Number(id), signal);
    },
    pid: children[0]?.pid ?? 0,
    async crash() {
      process.kill(Number(postmasterOf()), 'SIGQUIT');
      await until('PostgreSQL to end', () => !existsSync(join(data, 'postmaster.pid')), LONG_MS);
    },
    async restart() {
      launch();
      await until('PostgreSQL to answer again', () => answers(server, 'select 1'), LONG_MS);
    },
    async [Symbol.asyncDispose]() {
      const ended = children.map((child) => child.exitCode ?? once(child, 'exit'));
      for (const { stdin } of children) stdin?.end();
      await Promise.all(ended);
    },
  };
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
  mkdirSync(join(folder, 'data'));
  if (uid !== undefined && gid !== undefined) chownSync(join(folder, 'data'), uid, gid);
  return authority.certificate;
}

async function initialise(initdb: string, folder: string, own: User & { readonly cwd: string }, log: number): Promise<void> {
  const given = ['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8', '--username=postgres', '--auth=scram-sha-256'];
  const files = [`--pgdata=${join(folder, 'data')}`, `--pwfile=${join(folder, 'password')}`];
  const [status] = await once(spawn(initdb, [...given, ...files], { ...own, stdio: ['ignore', log, log] }), 'exit');
  if (status !== 0) throw new Error(`initdb failed: ${readFileSync(join(folder, 'log'), 'utf8')}`);
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
