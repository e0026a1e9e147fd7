// The control socket: commands ask the running daemon by it; what others on this machine may try with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ControlParts, startControl } from '#cli/control/server.ts';
import { Opened } from '#cli/opened.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { openLog } from '#runtime/log.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { invoice } from '../../support/documents.ts';
import { needed } from '../../support/needed.ts';
import { tryLogin } from '../../support/sftp-clients.ts';
import { type CommandResult, command } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let item: string;
let log: string[];

beforeEach(async () => {
  log = [];
  world = await startWorld(scripted());
  writeFileSync(configFile(), `role: gateway\ndata: ${world.data}\nservice: {url: "http://127.0.0.1:9"}\n`);
  item = await world.drop('acme-ab', 'a.xml', invoice({ id: 'F-1' }));
  await until('the item', () => world.files('acme-ab', 'accepted').length === 1);
});

const configFile = (): string => join(world.data, 'dropgate.yaml');
const socketFile = (): string => join(world.data, 'control.sock');
const run = (...args: string[]): Promise<CommandResult> => command([...args, '--config', configFile()]);

async function control(changes: Partial<ControlParts['config']> = {}): Promise<AsyncDisposable | null> {
  const { config } = loadConfig(configFile(), undefined);
  const lines = openLog('info', { write: (line) => void log.push(line) });
  const opened = new Opened({ config, running: { gateway: world.gateway(), core: null, activity: null, trail: null }, log: lines });
  const started = await startControl({ config: { ...config, ...changes }, opened, log: lines });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  onTestFinished(() => started?.[Symbol.asyncDispose]());
  return started;
}

/** A request as any program of this user may make it. */
async function post(path: string, body: string, version = manifest.version): Promise<string> {
  const asked = request({
    socketPath: socketFile(),
    agent: false,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'dropgate-version': version },
  });
  asked.on('error', () => undefined);
  asked.end(body);
  const [response] = await once(asked, 'response');
  return text(response);
}

describe('with a running daemon', () => {
  it('an operation is done there: what the command itself could not', async () => {
    await using _control = await control();
    // Without it no ledger can be opened.
    rmSync(sealPath(world.data));
    const found = await run('items', '--json');
    expect(JSON.parse(found.out)).toMatchObject({ item, documentId: 'F-1' });
    expect(existsSync(sealPath(world.data))).toBe(false);
  });

  it('what a command changes is changed there, what it was given on standard input goes along, and what was made up comes back', async () => {
    await using _control = await control();
    rmSync(sealPath(world.data));
    const added = await command(['login', 'add', 'erp', '--password-stdin', '--json', '--config', configFile()], 'a long enough password');
    expect(JSON.parse(added.out)).toEqual({ login: 'erp' });
    expect(JSON.parse((await run('login', 'set-password', 'erp', '--json')).out)).toEqual({ login: 'erp', password: expect.any(String) });
    expect((await run('login', 'list')).out).toMatch(/^erp\tactive\tpassword/m);
    expect(existsSync(sealPath(world.data))).toBe(false);
  });

  it('a login gets in as soon as its command has ended, and one that was disabled does not', async () => {
    await using _control = await control();
    const options = ['login', 'add', 'new', '--account', 'acme-ab', '--password-stdin', '--config', configFile()];
    expect(await command(options, 'a long enough password')).toMatchObject({ status: 0 });
    const server = { port: world.gateway().sftp.port, knownHosts: '' };
    const credentials = { username: 'new', password: 'a long enough password' };
    expect(await tryLogin(server, credentials)).toBe('in');
    await run('login', 'disable', 'new');
    expect(await tryLogin(server, credentials)).not.toBe('in');
  });

  it('what it throws is told, with the exit status', async () => {
    await using _control = await control();
    expect(await run('item', 'zzzzzzzz')).toEqual({
      status: 66,
      out: '',
      err: "dropgate: There is no item zzzzzzzz; 'dropgate items' lists them.",
    });
    const late = await run('cancel', item);
    expect([late.status, late.err]).toEqual([77, expect.stringContaining('cannot be cancelled any more')]);
  });

  it('commands go on by themselves when it has ended, and when it was killed', async () => {
    await (await control())?.[Symbol.asyncDispose]();
    expect(existsSync(socketFile())).toBe(false);
    expect((await run('items')).out).toContain('F-1');
    await leaveSocket();
    expect((await run('items')).out).toContain('F-1');
    await using _control = await control();
    expect(JSON.parse(await post('/operations/item', JSON.stringify({ item }))).answer).toMatchObject({ item });
  });

  it('a command of another version is told to have it restarted', async () => {
    await using _control = await control();
    expect(await post('/operations/items', '{"limit": 1}', '0.0.1')).toContain('restart the daemon');
  });

  it('it refuses what must not be done beside one', async () => {
    await using _control = await control();
    expect(await post('/operations/recover', '{"restored": false}')).toContain('"code":"locked"');
  });

  it.each([
    ['/operations/items', '{', 'is no JSON'],
    ['/operations/items', '{"limit": 0}', 'The limit is less than 1.'],
    ['/operations/constructor', '{}', 'no operation'],
    ['/operations/items', `{"documentId": "${'x'.repeat(17 * 2 ** 20)}"}`, 'too large'],
  ])('%s is refused what is not of its form', async (path, body, sentence) => {
    await using _control = await control();
    expect(await post(path, body).catch(() => 'too large')).toContain(sentence);
  });
});

interface Ran {
  readonly words: string;
  readonly status: number;
  /** Requests by HTTP. */
  readonly asked: number;
  /** The addresses of the modules that no command before it has loaded. */
  readonly loaded: readonly string[];
}

/** Runs commands in a process of their own, one after the other. */
async function runAlone(commands: readonly string[]): Promise<Ran[]> {
  const file = join(world.data, 'ran');
  const program = join(import.meta.dirname, '../../support/run-commands.mjs');
  const child = spawn(process.execPath, [program, configFile(), ...commands], { env: { ...process.env, RAN: file }, stdio: 'ignore' });
  await once(child, 'exit');
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const loadedOf = (ran: readonly Ran[], which: RegExp): string[] =>
  ran.flatMap(({ words, loaded }) => loaded.filter((url) => which.test(url)).map((url) => `${words}: ${url}`));
const statusesOf = (ran: readonly Ran[]) => Object.fromEntries(ran.map(({ words, status }) => [words, status]));

/** The floors below the command line, except for words; and packages that are long to load. */
const HEAVY =
  /\/src\/(?:gateway\/(?!model\/|disk\/paths)|core\/(?!model\/)|engines\/|ubl\/(?!decimal|tree))|node_modules\/(?:typebox|kysely|fastify|ssh2|pino|pg)\//;
const SERVERS =
  /\/src\/(?:engines\/postgres\/(?!copying)|gateway\/(?:sftp|submit|watch)\/|core\/(?:thread|api|network|outbound)\/|admin\/|alarms\/(?:channels|mail|webhook)\.)|node_modules\/(?:pg|ssh2|fastify|undici|chokidar|nodemailer)\//;
const LEDGERS = /\/src\/(?:engines|core\/ledger|gateway\/ledger)\/|node_modules\/(?:kysely|pino)\//;

it('commands that a daemon answers load what they need to ask and to tell: no ledger, no gateway and no core', async () => {
  await using _control = await control();
  const commands = [
    'items',
    'item x',
    'find F-1',
    'status',
    'connections',
    'outbox',
    'usage --month 2026-01',
    'account list',
    'account set 1 --name x',
    'partner list',
    'login list',
    'login set-password x',
    'webhook list',
    'transmission list',
    'network check',
    'archive verify',
    'export',
    'alarm list',
    'audit list',
    'audit verify',
  ];
  const ran = await runAlone(commands);
  expect(ran.filter(({ asked }) => asked > 0).map(({ words }) => words)).toEqual(commands);
  expect(loadedOf(ran, HEAVY)).toEqual([]);
});

it('commands without a daemon load no server, no SSH and no network', async () => {
  writeFileSync(configFile(), `data: ${join(world.data, 'all')}\n`);
  mkdirSync(join(world.data, 'all', 'spool'), { recursive: true });
  const statuses = {
    items: 0,
    'item aaaaaaaa': 66,
    'find F-1': 1,
    status: 0,
    outbox: 0,
    'usage --month 2026-01': 0,
    'account list': 0,
    'account show 1': 66,
    'partner list': 0,
    'login list': 0,
    'webhook list': 0,
    'transmission list': 0,
    'network check': 0,
    export: 0,
  };
  const ran = await runAlone(Object.keys(statuses));
  expect(statusesOf(ran)).toEqual(statuses);
  expect(loadedOf(ran, SERVERS)).toEqual([]);
});

it('commands on files of their own load no ledger either', async () => {
  const ran = await runAlone(['alarm list', 'audit list', 'audit verify']);
  expect(statusesOf(ran)).toEqual({ 'alarm list': 0, 'audit list': 0, 'audit verify': 0 });
  expect([...loadedOf(ran, SERVERS), ...loadedOf(ran, LEDGERS)]).toEqual([]);
});

describe('others on this machine', () => {
  it('cannot connect: the socket is its owner’s alone', async () => {
    await using _control = await control();
    expect(statSync(socketFile()).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['a link', () => symlinkSync(join(world.data, 'elsewhere.sock'), socketFile())],
    ['a file', () => writeFileSync(socketFile(), '')],
  ])('%s in place of the socket is left alone: no daemon listens there, and no command asks', async (_what, put) => {
    put();
    expect(await control()).toBeNull();
    expect(log.join()).toContain('control.unavailable');
    expect(lstatSync(socketFile()).isSocket()).toBe(false);
    const { status, err } = await run('items');
    expect([status, err]).toEqual([77, expect.stringContaining("is not this user's own socket")]);
  });

  it('hear nothing by a socket to which they could connect', async () => {
    using heard = await listenThere();
    chmodSync(socketFile(), 0o666);
    expect((await run('items')).status).toBe(77);
    expect(heard.count).toBe(0);
  });

  it.skipIf(!needed('root', process.getuid?.() === 0, 'run as root'))('hear nothing by a socket of their own', async () => {
    using heard = await listenThere();
    chmodSync(socketFile(), 0o600);
    chownSync(socketFile(), 65_534, 65_534);
    expect((await run('items')).status).toBe(77);
    expect(heard.count).toBe(0);
  });
});

it('a path that is too long for a socket leaves commands to the ledgers', async () => {
  const data = join(world.data, 'd'.repeat(100));
  mkdirSync(data);
  expect(await control({ data })).toBeNull();
  expect(log.join()).toContain('too long for a socket');
});

/** Somebody else's server in place of the daemon. */
async function listenThere(): Promise<{ count: number } & Disposable> {
  const heard = { count: 0, [Symbol.dispose]: () => void server.close() };
  const server = createServer(() => heard.count++);
  server.listen(socketFile());
  await once(server, 'listening');
  return heard;
}

/** What a killed daemon leaves: a socket on which nobody listens. */
async function leaveSocket(): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(socketFile())}, () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script]), 'exit');
  chmodSync(socketFile(), 0o600);
}
