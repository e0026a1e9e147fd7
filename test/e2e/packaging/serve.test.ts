// `dropgate serve` as a process: ready, refused, demo, stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN } from '../../support/program.ts';
import { have, run } from '../../support/sftp-clients.ts';
import { until } from '../../support/until.ts';

const UNIT = resolve('systemd/dropgate.service');

let folder: string;
let running: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-serve-'));
  running = [];
  writeFileSync(join(folder, 'dropgate.yaml'), 'sftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n');
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Served {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** A line of the log. */
  told(event: string): Promise<Record<string, unknown>>;
}

function serve(args: readonly string[] = [], env: Record<string, string> = {}): Served {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], { cwd: folder, env: { ...process.env, ...env }, stdio: 'pipe' });
  running.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const facts = (): Record<string, unknown>[] =>
    out.split('\n').flatMap((line) => (line.endsWith('}') && line.startsWith('{') ? [JSON.parse(line)] : []));
  return {
    child,
    out: () => out,
    err: () => err,
    told: (event) => until(`'${event}' in the log`, () => facts().find((fact) => fact.event === event)),
  };
}

async function statusOf({ child }: Served): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('serve', () => {
  it('the thread of the core uses what the first thread has compiled', async () => {
    const tell = join(folder, 'tell.mjs');
    writeFileSync(
      tell,
      `import { getCompileCacheDir } from 'node:module';
       import { threadId } from 'node:worker_threads';
       setImmediate(() => process._rawDebug(\`thread \${threadId}: \${getCompileCacheDir()}\`));`,
    );
    const served = serve([], { NODE_OPTIONS: `--import ${tell}`, NODE_COMPILE_CACHE: '' });
    await served.told('daemon.ready');
    const place = await until('what the thread uses', () => /^thread 1: (.+)$/m.exec(served.err())?.[1]);
    expect(place).toContain('compiled');
    served.child.kill();
    await statusOf(served);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('tells systemd when it is ready; %s stops it with status 0', async (signal) => {
    const program = join(folder, 'systemd-notify');
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${join(folder, 'notified')}\n`);
    chmodSync(program, 0o755);
    const daemon = serve([], { NOTIFY_SOCKET: '/run/nobody', PATH: `${folder}${delimiter}${process.env.PATH}` });
    expect(await daemon.told('daemon.ready')).toMatchObject({ role: 'all', sshCrypto: expect.stringMatching(/^(native|javascript)$/) });
    await until('the notice', () => read('notified') || null);
    expect(read('notified')).toBe('READY=1\n');
    daemon.child.kill(signal);
    expect(await statusOf(daemon)).toBe(0);
    expect(daemon.out()).toContain('"event":"daemon.stopped"');
    expect(daemon.err()).toBe('');
  });

  it.each([
    ['all', 'core'],
    ['core', 'all'],
  ])('refuses a second daemon on the same data folder (%s, then %s)', async (first, second) => {
    const daemon = serve(['--role', first]);
    await daemon.told('daemon.ready');
    const refused = serve(['--role', second]);
    expect(await statusOf(refused)).toBe(75);
    expect(refused.err()).toMatch(/^dropgate: Another dropgate runs on .*; stop it first/);
  });

  it('says what is wrong when an address is taken, and leaves with 75, which systemd does not try again', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    writeFileSync(
      join(folder, 'dropgate.yaml'),
      `sftp: {listen: "127.0.0.1:${port}"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n`,
    );
    const daemon = serve();
    expect(await statusOf(daemon)).toBe(75);
    expect(daemon.err()).toContain(`listens on 127.0.0.1:${port} already`);
    expect(readFileSync(UNIT, 'utf8')).toMatch(/^RestartPreventExitStatus=(?:\d+ )*75\b/m);
    taken.close();
  });

  it('stops as a whole, with status 70, when the thread of the core dies', async () => {
    const saboteur = join(folder, 'saboteur.mjs');
    const word = JSON.stringify(join(folder, 'die'));
    writeFileSync(
      saboteur,
      `import { existsSync } from 'node:fs';
       import { isMainThread } from 'node:worker_threads';
       if (!isMainThread) setInterval(() => { if (existsSync(${word})) throw new Error('sabotage'); }, 10).unref();`,
    );
    const daemon = serve([], { NODE_OPTIONS: `--import ${saboteur}` });
    await daemon.told('daemon.ready');
    writeFileSync(join(folder, 'die'), '');
    expect(await daemon.told('daemon.part-failed')).toMatchObject({ level: 'error', err: { message: 'sabotage' } });
    expect(await statusOf(daemon)).toBe(70);
    expect(daemon.err()).toContain('A part of the daemon failed');
  });

  it('starts again after kill -9, which leaves no lock, and answers the health check while it runs', async () => {
    const killed = serve();
    await killed.told('daemon.ready');
    killed.child.kill('SIGKILL');
    await statusOf(killed);
    const daemon = serve();
    const { sftpPort, coreUrl } = await daemon.told('daemon.ready');
    const asked = join(folder, 'asked.yaml');
    writeFileSync(asked, `sftp: {listen: "127.0.0.1:${sftpPort}"}\ncore: {listen: "${String(coreUrl).replace('http://', '')}"}\n`);
    expect(await run(process.execPath, [MAIN, 'health', '--config', asked])).toMatchObject({
      status: 0,
      out: expect.stringContaining('The daemon answers: SFTP on 127.0.0.1:'),
    });
    daemon.child.kill('SIGTERM');
    await statusOf(daemon);
    expect((await run(process.execPath, [MAIN, 'health', '--config', asked])).status).not.toBe(0);
  });
});

describe('a command', () => {
  it('does not mind a reader that leaves early', async () => {
    const child = spawn(process.execPath, [MAIN, 'check-config'], { cwd: folder });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (text) => (err += text));
    await once(child, 'close');
    expect([child.exitCode, err]).toEqual([0, '']);
  });
});

describe('serve --demo', () => {
  it('shows logins, passwords, keys and what to try at the first start, and none of it in the log', async () => {
    const file = join(folder, 'other.yaml');
    renameSync(join(folder, 'dropgate.yaml'), file);
    const daemon = serve(['--demo', '--config', file]);
    await until('the guide', () => daemon.out().includes('Ctrl-C stops it.'));
    const guide = daemon.out();
    const secrets = [...guide.matchAll(/password (\w{24}) {2}API key (dg_test_[\w-]{43})/g)].flatMap(([, password, key]) => [
      password ?? '',
      key ?? '',
    ]);
    expect(secrets).toHaveLength(4);
    expect(guide).toMatch(/sftp -P \d+ -o UserKnownHostsFile=\S+ seller@127\.0\.0\.1/);
    const log = guide.split('\n').filter((line) => line.startsWith('{'));
    for (const secret of secrets) expect(log.join('\n')).not.toContain(secret);
    daemon.child.kill('SIGTERM');
    expect(await statusOf(daemon)).toBe(0);

    const again = serve(['--demo', '--config', file]);
    await until('the guide', () => again.out().includes('Ctrl-C stops it.'));
    for (const secret of secrets) expect(again.out()).not.toContain(secret);
    // By the commands alone it would not be found.
    expect(again.out()).toContain(`npx dropgate login set-password seller --config ${file}\n`);
  });

  it('makes an operator for the page, who may act, and shows where and how', async () => {
    writeFileSync(
      join(folder, 'dropgate.yaml'),
      'sftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: "127.0.0.1:0"}\n',
    );
    const daemon = serve(['--demo']);
    await until('the guide', () => daemon.out().includes('Ctrl-C stops it.'));
    const { adminUrl: url } = await daemon.told('daemon.ready');
    const guide = daemon.out();
    expect(guide).toContain(`${url}   the page`);
    const [, password = ''] = /operator +demo +password (\w{24})/.exec(guide) ?? [];
    const login = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ operator: 'demo', password }),
    });
    expect(login.status).toBe(303);
    const overview = await fetch(`${url}/`, { headers: { cookie: login.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' } });
    expect(await overview.text()).toMatch(/demo.*may act/);
  });

  it('shows the secrets of the first start also when that start fails', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    writeFileSync(
      join(folder, 'dropgate.yaml'),
      `sftp: {listen: "127.0.0.1:${port}"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n`,
    );
    const daemon = serve(['--demo']);
    expect(await statusOf(daemon)).toBe(75);
    expect(daemon.out()).toMatch(/seller +password \w{24} {2}API key dg_test_/);
    taken.close();
  });

  it('is for loopback only', async () => {
    writeFileSync(join(folder, 'dropgate.yaml'), 'sftp: {listen: "0.0.0.0:0"}\n');
    const daemon = serve(['--demo']);
    expect(await statusOf(daemon)).toBe(64);
    expect(daemon.err()).toContain('--demo makes accounts to play with');
  });
});

describe.skipIf(!have('sftp'))('demo', () => {
  it('shows the way of an invoice step by step', async () => {
    const { status, out, err } = await run(process.execPath, [MAIN, 'demo']);
    expect([status, err]).toEqual([0, '']);
    for (const word of ['Uploaded', 'Accepted', 'Receipt', 'Arrived', 'Equal']) expect(out).toContain(`${word}:`);
  });

  it('says why when it cannot', async () => {
    const child = spawn(process.execPath, [MAIN, 'demo'], { env: { PATH: '/nowhere' } });
    let err = '';
    child.stderr.on('data', (text) => (err += text));
    await once(child, 'close');
    expect([child.exitCode, err]).toEqual([66, expect.stringContaining('install the package openssh-client')]);
  });
});

describe.skipIf(!have('npx'))('npx dropgate', () => {
  it('finds the pinned Node, whatever Node the machine has', async () => {
    const plain = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
    const child = spawn('npx', ['dropgate', 'check-config'], { env: { ...process.env, PATH: plain.join(delimiter) } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    await once(child, 'close');
    expect(err).toBe('');
    expect(out).toContain('role: all');
  });
});

function read(name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return '';
  }
}
