// `npm run demo`: the whole way of one invoice, shown step by step: a daemon of its own, the real sftp client, and the bytes compared.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { AppError } from '#domain/error.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { publicKeysIn } from '#operations/credentials.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { createAccount } from '#operations/new-account.ts';
import type { Config } from '#runtime/config/config.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { type ChildDaemon, startChildDaemon } from './child-daemon.ts';
import type { AddCommand } from './commands.ts';
import { publicKeyFile } from './credentials.ts';
import { BUYER, SELLER, writeKnownHosts } from './demo-accounts.ts';
import { showCluster } from './demo-cluster.ts';
import { SAMPLE_INVOICE } from './demo-guide.ts';
import { missingServers } from './demo-servers.ts';
import { makeKey, onStage, runBatch, STEP_MS_MAX, type Stage, until } from './demo-stage.ts';
import { DIFFERS } from './exit-status.ts';

export const addDemo: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .command('demo')
    .option(
      '--cluster',
      'instead: many invoices through three gateways on one PostgreSQL and one Redis, of which one is killed; both are started from the programs that are installed, and exit status 1 says that one is missing',
    )
    .action(async ({ cluster = false }: { readonly cluster?: boolean }) => {
      if (!cluster) return onStage(terminal, showWay);
      const missing = await missingServers();
      if (missing === null) return onStage(terminal, showCluster);
      terminal.complain(`dropgate: ${missing}`);
      commands.end(DIFFERS);
    });
};

async function showWay({ folder, say, start }: Stage): Promise<void> {
  const configFile = join(folder, 'dropgate.yaml');
  writeFileSync(
    configFile,
    stringify({ data: join(folder, 'data'), sftp: { listen: '127.0.0.1:0' }, core: { listen: '127.0.0.1:0' }, admin: { listen: 'off' } }),
  );
  const { config } = loadConfig(configFile, undefined);
  const key = await makeKey(folder);
  await makeAccounts(config, `${key}.pub`);
  say(`${SELLER.name} and ${BUYER.name} have an account each; the seller's ERP logs in by a key.`);

  const daemon = start(() => startChildDaemon(configFile));
  const { sftpPort, coreUrl } = await daemon.told('daemon.ready', STEP_MS_MAX);
  say(`The daemon runs in ${folder}: SFTP on port ${sftpPort}, the core at ${coreUrl}.`);
  await upload(config, Number(sftpPort), key);
  say(`Uploaded: OpenSSH's sftp has put ${basename(SAMPLE_INVOICE)} into the seller's inbox/, and was told that it is safe.`);
  await follow(config, daemon, say);
  await daemon.stop();
}

/** What becomes of the upload, step by step. Throws `internal` when it is not what should. */
async function follow({ data }: Config, daemon: ChildDaemon, say: Stage['say']): Promise<void> {
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

async function upload({ data }: Config, port: number, key: string): Promise<void> {
  const batch = join(data, 'upload.batch');
  writeFileSync(batch, `put ${SAMPLE_INVOICE} inbox/\n`);
  await runBatch({ port, key, login: SELLER.accountRegNo, knownHosts: await writeKnownHosts(data, port) }, batch);
}

async function firstFile(folder: string): Promise<string> {
  const name = await until(`Nothing has arrived in ${folder}`, () => readdirSync(folder)[0]);
  return join(folder, name);
}
