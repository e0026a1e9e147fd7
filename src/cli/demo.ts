// `npm run demo`: the whole way of one invoice, shown step by step: a daemon of its own, the real sftp client, and the bytes compared.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { AppError } from '#domain/error.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { publicKeysIn } from '#operations/credentials.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { createAccount } from '#operations/new-account.ts';
import type { Config } from '#runtime/config/config.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { type ChildDaemon, startChildDaemon } from './child-daemon.ts';
import type { AddCommand } from './commands.ts';
import { publicKeyFile } from './credentials.ts';
import { BUYER, SELLER, writeKnownHosts } from './demo-accounts.ts';
import { SAMPLE_INVOICE } from './demo-guide.ts';
import type { Terminal } from './terminal.ts';

const STEP_MS_MAX = 20_000;
const LOOK_EVERY_MS = 10;
const run = promisify(execFile);

export const addDemo: AddCommand = (commands) => {
  commands.command('demo').action(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-demo-'));
    try {
      await showWay(folder, commands.terminal);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
};

async function showWay(folder: string, terminal: Terminal): Promise<void> {
  const say = stepper(terminal);
  const configFile = join(folder, 'dropgate.yaml');
  writeFileSync(
    configFile,
    stringify({ data: join(folder, 'data'), sftp: { listen: '127.0.0.1:0' }, core: { listen: '127.0.0.1:0' }, admin: { listen: 'off' } }),
  );
  const { config } = loadConfig(configFile, undefined);
  const key = await makeKey(folder);
  await makeAccounts(config, `${key}.pub`);
  say(`${SELLER.name} and ${BUYER.name} have an account each; the seller's ERP logs in by a key.`);

  const daemon = startChildDaemon(configFile);
  try {
    const { sftpPort, coreUrl } = await daemon.told('daemon.ready', STEP_MS_MAX);
    say(`The daemon runs in ${folder}: SFTP on port ${sftpPort}, the core at ${coreUrl}.`);
    await upload(config, Number(sftpPort), key);
    say(`Uploaded: OpenSSH's sftp has put ${basename(SAMPLE_INVOICE)} into the seller's inbox/, and was told that it is safe.`);
    await follow(config, daemon, say);
  } finally {
    await daemon.stop();
  }
}

/** What becomes of the upload, step by step. Throws `internal` when it is not what should. */
async function follow({ data }: Config, daemon: ChildDaemon, say: Say): Promise<void> {
  const accepted = await daemon.told('item.accepted', STEP_MS_MAX);
  say(`Accepted: the core took ${accepted.family} ${accepted.documentId}; its integrationId is ${accepted.integrationId}.`);
  const receipt = await firstFile(join(homeFolder(data, SELLER.accountRegNo), 'receipts'));
  say(`Receipt: the seller's receipts/ holds ${basename(receipt)}.`);
  const arrived = await firstFile(join(homeFolder(data, BUYER.accountRegNo), 'outbox'));
  say(`Arrived: the buyer's outbox/ holds ${basename(arrived)}.`);
  if (!readFileSync(arrived).equals(readFileSync(SAMPLE_INVOICE))) {
    throw new AppError('internal', 'What arrived is not what was sent: the bytes differ.');
  }
  say('Equal: it is what was sent, byte for byte.');
}

async function makeAccounts(config: Config, publicKey: string): Promise<void> {
  const publicKeys = publicKeysIn(publicKeyFile(publicKey));
  await withLedgers(config, async (ledgers) => {
    for (const { accountRegNo, name, participant } of [SELLER, BUYER]) {
      const login = { login: accountRegNo, passwordHash: null, publicKeys };
      await createAccount(ledgers, { accountRegNo, name, participants: [participant], login });
    }
  });
}

async function makeKey(folder: string): Promise<string> {
  const key = join(folder, 'seller_key');
  await client('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'seller', '-f', key]);
  return key;
}

/** As an ERP's nightly job does it: batch mode, login by key, and the server's host key known before. */
async function upload({ data }: Config, port: number, key: string): Promise<void> {
  const batch = join(data, 'upload.batch');
  writeFileSync(batch, `put ${SAMPLE_INVOICE} inbox/\n`);
  const options = [`UserKnownHostsFile=${await writeKnownHosts(data, port)}`, 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes'];
  const settings = options.flatMap((option) => ['-o', option]);
  await client('sftp', ['-b', batch, '-i', key, '-P', String(port), ...settings, `${SELLER.accountRegNo}@127.0.0.1`]);
}

/** Runs a program of OpenSSH. Throws `missing` when it is not there, `internal` with what it said when it fails. */
async function client(program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, args, { timeout: STEP_MS_MAX });
  } catch (error) {
    const isAbsent = systemCode(error) === 'ENOENT';
    if (isAbsent) throw new AppError('missing', `The demo needs OpenSSH's ${program}: install the package openssh-client.`);
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new AppError('internal', `${program} failed: ${said}`, { cause: error });
  }
}

async function firstFile(folder: string): Promise<string> {
  const deadline = performance.now() + STEP_MS_MAX;
  for (;;) {
    const [name] = readdirSync(folder);
    if (name !== undefined) return join(folder, name);
    if (performance.now() > deadline) throw new AppError('internal', `Nothing has arrived in ${folder}.`);
    await pause(LOOK_EVERY_MS);
  }
}

type Say = (text: string) => void;

/** Numbers the steps, and tells how long after the first each came. */
function stepper(terminal: Terminal): Say {
  const start = performance.now();
  let step = 0;
  return (text) =>
    terminal.print(`${String(++step).padStart(2)}. ${((performance.now() - start) / 1_000).toFixed(2).padStart(5)} s  ${text}`);
}
