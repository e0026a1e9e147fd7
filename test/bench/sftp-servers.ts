// The servers that the SFTP bench compares: our daemon, OpenSSH's sshd with internal-sftp, and rclone's; each fresh, with a key of ours.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { startDaemon } from '../support/daemon.ts';
import { have } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { freePort, haveOpenSshServer, makeKey, startOpenSshServer } from './openssh-server.ts';
import { LOGIN, sellerAndBuyers } from './parties.ts';

export const SERVERS = ['Dropgate', 'sshd', 'rclone'] as const;
export type ServerName = (typeof SERVERS)[number];

/** Sessions of one login that a server must allow, for the bench of idle ones. */
const SESSIONS_MAX = 1_100;

export interface SftpServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly knownHosts: string;
  readonly pid: number;
  /** As the client names them: where it puts, and where it gets what lies in `outboxOnDisk`. */
  readonly inbox: string;
  readonly outbox: string;
  readonly outboxOnDisk: string;
  /** Of the login's files: how many have been taken and processed to the end; undefined for a server that does nothing with them. */
  readonly processed?: () => number;
}

/** `key`: path of a private key that may log in; `folder`: where the server's files go. Undefined when it is not installed. */
export const START: Readonly<Record<ServerName, (folder: string, key: string) => Promise<SftpServer | undefined>>> = {
  Dropgate: startOurs,
  sshd: startSshd,
  rclone: startRclone,
};

async function startOurs(parent: string, key: string): Promise<SftpServer> {
  const accounts = sellerAndBuyers(1).map((account) => ({ ...account, publicKeys: [readFileSync(`${key}.pub`, 'utf8')] }));
  const config = {
    core: { listen: '127.0.0.1:0', requests: 10_000_000 },
    sftp: { listen: '127.0.0.1:0', sessionsPerLoginMax: SESSIONS_MAX, unauthenticatedPerAddressMax: 100 },
  };
  const daemon = await startDaemon({ accounts, config, parent });
  return {
    port: daemon.port,
    user: LOGIN,
    knownHosts: daemon.knownHosts,
    pid: daemon.pid,
    inbox: '/inbox',
    outbox: '/outbox',
    outboxOnDisk: daemon.home('seller', 'outbox'),
    processed: () => daemon.files('seller', 'receipts').length,
    [Symbol.asyncDispose]: () => daemon.kill(),
  };
}

async function startSshd(parent: string, key: string): Promise<SftpServer | undefined> {
  if (!haveOpenSshServer()) return undefined;
  const [inbox, outbox] = folders(parent);
  const started = await startOpenSshServer(mkdtempSync(join(parent, 'sshd-')), readFileSync(`${key}.pub`, 'utf8'), [
    ['MaxStartups', String(SESSIONS_MAX)],
  ]);
  return { ...started, inbox, outbox, outboxOnDisk: outbox, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

async function startRclone(parent: string, key: string): Promise<SftpServer | undefined> {
  if (!have('rclone')) return undefined;
  const root = mkdtempSync(join(parent, 'rclone-'));
  const [inboxOnDisk, outboxOnDisk] = [join(root, 'inbox'), join(root, 'outbox')];
  for (const folder of [inboxOnDisk, outboxOnDisk]) mkdirSync(folder);
  const port = await freePort();
  const hostKey = await makeKey(join(parent, `rclone-host-key-${port}`));
  const knownHosts = join(parent, `rclone-known-hosts-${port}`);
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`);
  const args = ['serve', 'sftp', '--config', '/dev/null', '--addr', `127.0.0.1:${port}`, '--user', LOGIN];
  const child = spawn('rclone', [...args, '--authorized-keys', `${key}.pub`, '--key', hostKey, '--vfs-cache-mode', 'off', root], {
    stdio: 'ignore',
  });
  await until('rclone to listen', () => isListening(port), 30_000);
  return {
    port,
    user: LOGIN,
    knownHosts,
    pid: child.pid ?? 0,
    inbox: '/inbox',
    outbox: '/outbox',
    outboxOnDisk,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}

function folders(parent: string): [inbox: string, outbox: string] {
  const root = mkdtempSync(join(parent, 'files-'));
  const both: [string, string] = [join(root, 'inbox'), join(root, 'outbox')];
  for (const folder of both) mkdirSync(folder);
  return both;
}

/** To look by taking the port for a moment would keep it from the server that is about to. */
async function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
