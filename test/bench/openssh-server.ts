// OpenSSH's own server for comparison: on a loopback port, with a configuration and keys of its own in a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const PROGRAM = '/usr/sbin/sshd';

export interface OpenSshServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly user: string;
  readonly knownHosts: string;
}

export function haveOpenSshServer(): boolean {
  return existsSync(PROGRAM);
}

/** `authorized`: the public key that may log in, in one line; `more`: settings beside those that it needs to run here. */
export async function startOpenSshServer(
  folder: string,
  authorized: string,
  more: readonly (readonly [string, string])[] = [],
): Promise<OpenSshServer> {
  const port = await freePort();
  const hostKey = await makeKey(join(folder, 'host-key'));
  const [config, authorizedKeys, knownHosts] = [join(folder, 'sshd_config'), join(folder, 'authorized_keys'), join(folder, 'known_hosts')];
  writeFileSync(authorizedKeys, authorized);
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`);
  const settings = [
    ['ListenAddress', `127.0.0.1:${port}`],
    ['HostKey', hostKey],
    ['AuthorizedKeysFile', authorizedKeys],
    ['PidFile', 'none'],
    ['StrictModes', 'no'],
    ['PermitRootLogin', 'yes'],
    ['PasswordAuthentication', 'no'],
    ['Subsystem', 'sftp internal-sftp'],
    ...more,
  ];
  writeFileSync(config, settings.map((setting) => `${setting.join(' ')}\n`).join(''));
  // Where it separates privileges it wants this folder, which the service's unit makes otherwise.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const child = spawn(PROGRAM, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  await until('sshd to listen', () => {
    if (child.exitCode !== null) throw new Error(`sshd does not start: ${said}`);
    return said.includes('Server listening');
  });
  return { pid: child.pid ?? 0, port, user: userInfo().username, knownHosts, [Symbol.asyncDispose]: () => stop(child) };
}

/** An Ed25519 key pair at `path` and `path`.pub. */
export async function makeKey(path: string): Promise<string> {
  const { status, err } = await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
  if (status !== 0) throw new Error(err);
  return path;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
