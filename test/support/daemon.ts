// The real daemon as a child process, on free ports in a temporary folder, with accounts that the command line has made.
// It can be stopped, killed and started again on the same data; `await using` kills it and removes the folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { BUYER, SELLER } from './documents.ts';
import { isOnPostgres } from './engine.ts';
import { keepPlace } from './ledger-places.ts';
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from './postgres.ts';
import { MAIN } from './program.ts';
import { type Ran, run } from './sftp-clients.ts';
import { PASSWORD_HASH } from './sftp-server.ts';
import { until } from './until.ts';
import { type Homes, homesOf } from './world/homes.ts';
import { ledgerFile } from './world/ledger-files.ts';

const READY_WITHIN_MS = 600_000;

export interface DaemonAccount {
  readonly accountRegNo: string;
  readonly participants: readonly string[];
  /** Its SFTP login, with the password of all test servers; an account without one only uses the API. */
  readonly login?: string;
  /** Public keys that let the login in, besides the password. */
  readonly publicKeys?: readonly string[];
  /** As declarations have it. */
  readonly receiving?: { readonly archive: string };
  readonly repair?: 'suggest';
  readonly unreachable?: 'at-once';
  readonly reconciliation?: 'daily';
  readonly receipts?: ReceiptForm;
}

/** The two of the straight path: an ERP that sends, and the one that receives. */
export const SELLER_AND_BUYER: readonly DaemonAccount[] = [
  { accountRegNo: 'seller', participants: [SELLER], login: 'erp' },
  { accountRegNo: 'buyer', participants: [BUYER], login: 'buyer' },
];

/** A partner that acts for some of the accounts, by a login that is made for it, with the password of all test servers. */
export interface DaemonPartner {
  readonly partnerRegNo: string;
  readonly login: string;
  readonly consolidated?: boolean;
  readonly accounts: readonly { readonly accountRegNo: string; readonly folder?: string }[];
}

/** One more login of an account, with rules, and the password of all test servers. */
export interface DaemonLogin {
  readonly login: string;
  readonly accountRegNo: string;
  readonly rules: LoginRules;
}

export interface DaemonOptions {
  readonly accounts: readonly DaemonAccount[];
  readonly partners?: readonly DaemonPartner[];
  readonly moreLogins?: readonly DaemonLogin[];
  /** `all` when left out. */
  readonly role?: 'gateway' | 'core';
  /** Its name among nodes, if it has one; they share a data folder. */
  readonly node?: { readonly name: string | null; readonly data?: string };
  /** Laid over the configuration, section by section. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is started in place of what all tests start. */
  readonly program?: string;
  /** For node itself, before the program. */
  readonly nodeOptions?: readonly string[];
  /** A command that runs the daemon, with its options. */
  readonly under?: readonly string[];
  /** The user (and group) whose the data folder is, and who may look into the temporary one. */
  readonly owner?: number;
  /** Where the temporary folder is made. */
  readonly parent?: string;
  /** Added to the environment of the daemon and of its commands. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A line of the daemon's log. */
export interface Fact {
  readonly event?: string;
  readonly [key: string]: unknown;
}

export interface TestDaemon extends Homes, AsyncDisposable {
  readonly folder: string;
  readonly data: string;
  readonly configFile: string;
  /** These four change with every start. */
  readonly port: number;
  readonly coreUrl: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** Names the daemon's host keys. */
  readonly knownHosts: string;
  apiKey(accountRegNo: string): string;
  /** Everything logged since the folder was made, over all starts. */
  facts(): Fact[];
  /** Lines of standard error that are no facts. */
  complaints(): string;
  /** Runs the command line on this daemon's configuration. */
  cli(args: readonly string[], input?: string): Promise<Ran>;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** SIGTERM; resolves with the exit status. */
  stop(): Promise<number | null>;
  /** SIGKILL: it gets no chance to do anything. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Of each start that has ended: its exit status, or null where a signal ended it. */
  readonly exits: readonly (number | null)[];
}

/** Starts a daemon with these accounts. */
export async function startDaemon(given: DaemonOptions): Promise<TestDaemon> {
  const { options, database } = await withDatabase(given);
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'dropgate-'));
  const [data, configFile, log] = [options.node?.data ?? join(folder, 'data'), join(folder, 'dropgate.yaml'), join(folder, 'log')];
  if (options.owner !== undefined) {
    chmodSync(folder, 0o755);
    mkdirSync(data);
    chownSync(data, options.owner, options.owner);
  }
  writeFileSync(log, '');
  writeFileSync(configFile, stringify(configOf(data, options)));
  if (database) keepPlaces(data, database);
  const program = options.program ?? MAIN;
  const keys = new Map<string, string>();
  const exits: (number | null)[] = [];
  let child: ChildProcess | undefined;
  let ready: Fact = {};

  const facts = (): Fact[] =>
    lines(log)
      .map(factOf)
      .filter((fact) => fact !== null);
  const daemon: TestDaemon = {
    ...homesOf(data),
    folder,
    data,
    configFile,
    get port() {
      return Number(ready.sftpPort);
    },
    get coreUrl() {
      return String(ready.coreUrl);
    },
    get adminUrl() {
      return String(ready.adminUrl);
    },
    get pid() {
      return child?.pid ?? 0;
    },
    knownHosts: join(folder, 'known_hosts'),
    apiKey: (accountRegNo) => keys.get(accountRegNo) ?? '',
    facts,
    complaints: () =>
      lines(log)
        .filter((line) => line !== '' && !factOf(line))
        .join('\n'),
    cli: (args, input) => run(process.execPath, [program, ...args, '--config', configFile], input, options.env),
    async start() {
      const news = newLines(log);
      const descriptor = openSync(log, 'a');
      const words = [process.execPath, ...(options.nodeOptions ?? []), program, 'serve', '--config', configFile];
      const [command = '', ...args] = [...(options.under ?? []), ...words];
      const started = spawn(command, args, {
        cwd: folder,
        stdio: ['ignore', descriptor, descriptor],
        env: { ...process.env, ...options.env },
      });
      closeSync(descriptor);
      started.once('exit', (status) => exits.push(status));
      child = started;
      ready = await until(
        'the daemon to be ready',
        () => {
          if (hasEnded(started)) throw new Error(`the daemon ended instead of starting:\n${lines(log).slice(-20).join('\n')}`);
          return news()
            .map(factOf)
            .find((fact) => fact !== null && isReady(fact));
        },
        READY_WITHIN_MS,
      );
      const hostKeys = await loadHostKeys(join(data, 'keys'));
      writeFileSync(daemon.knownHosts, hostKeys.map(({ publicLine }) => `[127.0.0.1]:${daemon.port} ${publicLine}\n`).join(''));
    },
    async stop() {
      await end(child, 'SIGTERM');
      return child?.exitCode ?? null;
    },
    kill: () => end(child, 'SIGKILL'),
    signal: (signal) => void child?.kill(signal),
    exits,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGKILL');
      await database?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  const declared = join(folder, 'accounts.yaml');
  writeFileSync(declared, stringify(await declarationOf(options)));
  const applied = await daemon.cli(['apply', declared, '--json']);
  if (applied.status !== 0) throw new Error(`the accounts could not be made: ${applied.err}`);
  for (const { accountRegNo, partnerRegNo, apiKey } of JSON.parse(applied.out).keys) keys.set(accountRegNo ?? partnerRegNo, apiKey);
  await daemon.start();
  return daemon;
}

/** On PostgreSQL, where the run's ledgers are there and the test has not chosen. */
async function withDatabase(options: DaemonOptions): Promise<{ options: DaemonOptions; database: PostgresDatabase | null }> {
  if (!isOnPostgres || options.config?.database !== undefined) return { options, database: null };
  const database = await newPostgresDatabase();
  const { config, env } = connectedTo(database.place);
  return { options: { ...options, config: { ...options.config, ...config }, env: { ...options.env, ...env } }, database };
}

function keepPlaces(data: string, { place }: PostgresDatabase): void {
  for (const name of ['core', 'gateway'] as const) keepPlace(ledgerFile(data, name), { ...place, schema: `dropgate_${name}` });
}

function configOf(data: string, { role, node, config: given = {} }: DaemonOptions): object {
  const base: Record<string, Readonly<Record<string, unknown>>> = {
    sftp: { listen: '127.0.0.1:0', exempt: ['127.0.0.0/8'] },
    core: { listen: '127.0.0.1:0' },
    admin: { listen: '127.0.0.1:0' },
    gateway: { settle: '300ms', rescan: '1s' },
  };
  const merged = Object.entries(given).map(([section, values]) => [section, { ...base[section], ...values }]);
  return { ...(role && { role }), ...(node && { node: node.name }), data, ...base, ...Object.fromEntries(merged) };
}

async function declarationOf({ accounts, partners = [], moreLogins = [] }: DaemonOptions): Promise<object> {
  return {
    accounts: accounts.map(({ accountRegNo, participants, login: _, publicKeys: _keys, ...home }) => ({
      accountRegNo,
      name: accountRegNo,
      participants,
      ...(Object.keys(home).length > 0 && { home }),
    })),
    partners: partners.map((partner) => ({ name: partner.partnerRegNo, ...partner })),
    logins: [
      ...accounts.flatMap(({ accountRegNo, login, publicKeys = [] }) =>
        login ? [{ login, passwordHash: PASSWORD_HASH, publicKeys, homes: [{ accountRegNo }] }] : [],
      ),
      ...partners.map(({ login }) => ({ login, passwordHash: PASSWORD_HASH })),
      ...moreLogins.map(({ accountRegNo, ...login }) => ({ ...login, passwordHash: PASSWORD_HASH, homes: [{ accountRegNo }] })),
    ],
  };
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function isReady({ event }: Fact): boolean {
  return event === 'daemon.ready';
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}

/** Returns what reads the lines that were added since the last call: a log may grow by a line for each of a hundred thousand files. */
function newLines(file: string): () => string[] {
  let at = statSync(file).size;
  return () => {
    const added = Buffer.alloc(statSync(file).size - at);
    const descriptor = openSync(file, 'r');
    const read = readSync(descriptor, added, 0, added.length, at);
    closeSync(descriptor);
    const end = added.subarray(0, read).lastIndexOf(0x0a) + 1;
    at += end;
    return added.toString('utf8', 0, end).split('\n');
  };
}

/** The last line may still be being written. */
function factOf(line: string): Fact | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Lays settings over those that the daemon is started with, section by section. */
export function configure({ configFile }: Pick<TestDaemon, 'configFile'>, settings: object): void {
  writeFileSync(configFile, stringify({ ...parse(readFileSync(configFile, 'utf8')), ...settings }));
}

/** Whether its process is there. */
export function isAlive({ pid }: Pick<TestDaemon, 'pid'>): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
