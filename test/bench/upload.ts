// Large files by OpenSSH's client, to our daemon and to OpenSSH's own server in turns, on the same disk, with the same cipher.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDaemon } from '../support/daemon.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { have, run } from '../support/sftp-clients.ts';
import { median, table } from './figures.ts';
import type { BenchOptions } from './main.ts';
import { haveOpenSshServer, makeKey, startOpenSshServer } from './openssh-server.ts';
import { LOGIN, participantOfBuyer, sellerAndBuyers } from './parties.ts';

const CIPHER = 'aes128-gcm@openssh.com';

interface Size {
  readonly files: number;
  readonly bytes: number;
  readonly rounds: number;
}

interface Target {
  readonly port: number;
  readonly user: string;
  readonly knownHosts: string;
  /** Folder for uploads, as the client names it. */
  readonly folder: string;
}

export async function benchUpload({ short, print }: BenchOptions): Promise<void> {
  if (!have('sftp') || !haveOpenSshServer())
    return print('  skipped: it needs the OpenSSH client and server (openssh-client, openssh-server)');
  const size: Size = short ? { files: 3, bytes: 2_000_000, rounds: 1 } : { files: 25, bytes: 20_000_000, rounds: 3 };
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bench-'));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(folder, { recursive: true }));
  const key = await makeKey(join(folder, 'key'));
  const files = Array.from({ length: size.files }, (_, at) => sourceFile(folder, at, size.bytes));
  print(`  ${size.files} files of ${size.bytes} bytes in one batch of sftp, ${CIPHER}, ${size.rounds} rounds in turns, medians`);

  const ways: Record<string, (round: number) => Promise<number>> = {
    'Dropgate, invoices (fsynced, and processed meanwhile)': async () =>
      upload(
        await daemon(),
        files.map((file, at) => `put ${file} ${at}.xml`),
      ),
    'Dropgate, under temporary names (fsynced)': async () =>
      upload(
        await daemon(),
        files.map((file, at) => `put ${file} ${at}.xml.part`),
      ),
    'OpenSSH sshd': async (round) =>
      upload(
        await sshd(round),
        files.map((file, at) => `put ${file} ${at}.xml`),
      ),
    'OpenSSH sshd, fsynced (put -f)': async (round) =>
      upload(
        await sshd(round),
        files.map((file, at) => `put -f ${file} ${at}.xml`),
      ),
  };
  const speeds = new Map<string, number[]>();
  for (let round = 0; round < size.rounds; round++) {
    for (const [way, measure] of Object.entries(ways)) {
      const seconds = await measure(round);
      speeds.set(way, [...(speeds.get(way) ?? []), (size.files * size.bytes) / 1e6 / seconds]);
    }
  }
  const of = (way: string): number => median(speeds.get(way) ?? []);
  const [invoices = '', temporary = '', plain = '', synced = ''] = Object.keys(ways);
  const ratio = (a: string, b: string): string => (of(a) / of(b)).toFixed(2);
  print(
    table([
      ...Object.keys(ways).map((way) => [way, `${of(way).toFixed(0)} MB/s`] as const),
      ['ratio, invoices to sshd / to sshd fsynced', `${ratio(invoices, plain)} / ${ratio(invoices, synced)}`],
      ['ratio, temporary names to sshd / to sshd fsynced', `${ratio(temporary, plain)} / ${ratio(temporary, synced)}`],
    ]),
  );

  /** A fresh one each time; nothing of it is deleted before the end. */
  async function daemon(): Promise<Target> {
    const accounts = sellerAndBuyers(1).map((account) => ({ ...account, publicKeys: [readFileSync(`${key}.pub`, 'utf8')] }));
    const started = await startDaemon({ accounts, config: { core: { listen: '127.0.0.1:0', requests: 1_000_000 } }, parent: folder });
    running.push(() => started.kill());
    return { port: started.port, user: LOGIN, knownHosts: started.knownHosts, folder: '/inbox' };
  }

  async function sshd(round: number): Promise<Target> {
    const own = mkdtempSync(join(folder, `sshd-${round}-`));
    const target = join(own, 'inbox');
    mkdirSync(target);
    const started = await startOpenSshServer(own, readFileSync(`${key}.pub`, 'utf8'));
    running.push(async () => started[Symbol.asyncDispose]());
    return { ...started, folder: target };
  }

  /** Resolves with the seconds of the whole batch, login included; then ends the server. */
  async function upload({ port, user, knownHosts, folder: into }: Target, commands: readonly string[]): Promise<number> {
    const options = [
      ['UserKnownHostsFile', knownHosts],
      ['IdentityFile', key],
      ['IdentitiesOnly', 'yes'],
      ['Ciphers', CIPHER],
    ];
    const args = [
      ...options.flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      '-q',
      '-b',
      '-',
      '-P',
      String(port),
      `${user}@127.0.0.1`,
    ];
    const before = performance.now();
    const { status, err } = await run('sftp', args, `cd ${into}\n${commands.join('\n')}\n`);
    const seconds = (performance.now() - before) / 1_000;
    if (status !== 0) throw new Error(`the upload failed: ${err}`);
    for (const end of running.splice(0)) await end();
    return seconds;
  }
}

/** Servers that run now. */
const running: (() => Promise<void>)[] = [];

function sourceFile(folder: string, at: number, bytes: number): string {
  const path = join(folder, `source-${at}.xml`);
  writeFileSync(path, invoiceOfSize(bytes, { id: `L-${at}`, receiver: participantOfBuyer(0) }));
  return path;
}
