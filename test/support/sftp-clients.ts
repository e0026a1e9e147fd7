// Real SFTP clients as child processes, and ssh2's client for patterns that no program here produces.
import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import ssh2 from 'ssh2';
import type { DocumentOptions } from './document-options.ts';
import { invoice } from './documents.ts';
import { needed, neededPackage } from './needed.ts';
import { PASSWORD, type TestServer } from './sftp-server.ts';

/** What a client must know of a server; and who it is, if not `erp`. */
export type Door = Pick<TestServer, 'port' | 'knownHosts'> & { readonly login?: string };

const who = ({ login = 'erp' }: Door): string => `${login}@127.0.0.1`;

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, with `input` on its standard input. */
export function run(program: string, args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, LC_ALL: 'C.UTF-8', ...env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    child.stderr.on('data', (piece) => {
      err += piece;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, out, err }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Debian's packages of programs that are not called as their package is. */
const PACKAGES: Readonly<Record<string, string>> = {
  sftp: 'openssh-client',
  scp: 'openssh-client',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  psftp: 'putty-tools',
  'systemd-analyze': 'systemd',
  'systemd-socket-activate': 'systemd',
  npx: 'npm',
};

/** Whether a program is there; tells how to get it when a test that needs it is left out. */
export function have(program: string): boolean {
  const isThere = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
  return neededPackage(program, isThere, PACKAGES[program] ?? program);
}

/** Debian's own Python, which is the one that has python3-paramiko. */
export const PYTHON = '/usr/bin/python3';

export async function haveParamiko(): Promise<boolean> {
  const isHere = (await run(PYTHON, ['-c', 'import paramiko']).catch(() => ({ status: 1 }))).status === 0;
  return neededPackage('paramiko', isHere, 'python3-paramiko');
}

export async function curlHasSftp(): Promise<boolean> {
  const hasSftp = have('curl') && (await run('curl', ['-V'])).out.includes(' sftp ');
  return needed('SFTP in curl', hasSftp, 'install a curl that was built with libssh2, as Debian has it');
}

/** OpenSSH without a terminal asks this program for the password. */
const ASKPASS = join(tmpdir(), `dropgate-askpass-${process.pid}-${threadId}`);
writeFileSync(ASKPASS, `#!/bin/sh\necho '${PASSWORD}'\n`, { mode: 0o700 });
process.once('exit', () => rmSync(ASKPASS, { force: true }));

function sshOptions(server: Door): string[] {
  return [
    ['UserKnownHostsFile', server.knownHosts],
    ['StrictHostKeyChecking', 'yes'],
    ['PreferredAuthentications', 'password'],
    ['PubkeyAuthentication', 'no'],
    ['NumberOfPasswordPrompts', '1'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

function withPassword(): Record<string, string> {
  return { SSH_ASKPASS: ASKPASS, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: 'none' };
}

/** OpenSSH's sftp with commands on its standard input; `-b -` among `args` lets it stop at the first that fails. */
export function openSsh(server: Door, commands: readonly string[], args: readonly string[] = []): Promise<Ran> {
  // OpenSSH takes the first value that it is given for an option, so a test's own come first; but -b would turn passwords off.
  const all = ['-o', 'BatchMode=no', ...args, ...sshOptions(server), '-P', String(server.port), who(server)];
  return run('sftp', all, `${commands.join('\n')}\nbye\n`, withPassword());
}

/** OpenSSH's scp; `remote` stands for a path on the server. */
export function scp(server: Door, args: readonly string[]): Promise<Ran> {
  const named = args.map((arg) => arg.replace(/^remote:/, `${who(server)}:`));
  return run('scp', [...sshOptions(server), '-P', String(server.port), ...named], '', withPassword());
}

export function ssh(server: Door, args: readonly string[]): Promise<Ran> {
  return run('ssh', [...sshOptions(server), '-p', String(server.port), who(server), ...args], '', withPassword());
}

/** An ssh2 client that is logged in: by password, unless `config` names a key or an agent. */
export function connect(server: Door, config: ssh2.ConnectConfig = {}): Promise<ssh2.Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.once('ready', () => {
      // Without the add-on ssh2 sends a packet in pieces, each of which would wait for the one before it to be acknowledged.
      client.setNoDelay(true);
      resolve(client);
    });
    client.on('error', reject);
    client.on('close', () => reject(new Error('the connection was closed')));
    const byPassword = config.privateKey || config.agent ? {} : { password: PASSWORD };
    client.connect({ host: '127.0.0.1', port: server.port, username: server.login ?? 'erp', ...byPassword, ...config });
  });
}

/** The methods of ssh2's SFTP client that tests use, as promises. */
export async function openSftp(client: ssh2.Client): Promise<ssh2.SFTPWrapper> {
  return new Promise((resolve, reject) => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))));
}

type Callback<Result> = (error: Error | null | undefined, result: Result) => void;

/** Calls something that ends in a callback; the error that it gives is thrown. */
export function called<Result = void>(call: (callback: Callback<Result>) => unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** What `work` gives; throws when the connection ends first: ssh2 calls nothing back when it ends during a WRITE of writeFile. */
export async function whileConnected<Result>(client: ssh2.Client, work: (sftp: ssh2.SFTPWrapper) => Promise<Result>): Promise<Result> {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  client.once('close', () => reject(new Error('the connection was lost')));
  return await Promise.race([lost, openSftp(client).then(work)]);
}

/** As an ERP does: throws what CLOSE says. */
export async function uploadInvoice(server: Door, documentId: string, options: DocumentOptions = {}): Promise<void> {
  const client = await connect(server);
  const content = Buffer.from(invoice({ ...options, id: documentId }));
  try {
    await whileConnected(client, (sftp) => called((done) => sftp.writeFile(`inbox/${documentId}.xml`, content, done)));
  } finally {
    client.end();
  }
}

/** 'in', or why not. */
export async function tryLogin(server: Door, config: ssh2.ConnectConfig): Promise<string> {
  try {
    const client = await connect(server, config);
    client.end();
    return 'in';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
