// `dropgate connection-kit`: a folder for the people at the other end: host keys, ready scripts, the contract of the folders.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { contractFile } from '#cli/kit/contract.ts';
import { type KitFacts, type KitFile, textFile } from '#cli/kit/facts.ts';
import { lftpFiles } from '#cli/kit/lftp.ts';
import { openSshFiles } from '#cli/kit/openssh.ts';
import { paramikoFiles } from '#cli/kit/paramiko.ts';
import { winScpFiles } from '#cli/kit/winscp.ts';
import { AppError } from '#domain/error.ts';
import { namesOf } from '#gateway/model/layout.ts';
import { knownHostsLine, loadHostKeys } from '#gateway/sftp/host-keys.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import { count } from '#runtime/config/kinds.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { ask } from './ask.ts';
import type { AddCommand } from './commands.ts';
import { nameOf } from './host-key.ts';
import { shownRules } from './login-rules.ts';
import { type ConfigOptions, configOf } from './options.ts';
import type { Terminal } from './terminal.ts';

interface KitOptions extends ConfigOptions {
  readonly host?: string;
  readonly port?: string;
  readonly out?: string;
}

export const addConnectionKit: AddCommand = (commands) => {
  commands
    .configured('connection-kit <login>')
    .option('--host <name>', 'name or address by which clients reach this server; without it the one that it listens on')
    .option(
      '--port <number>',
      'port by which they reach it: of another listener, or of what is in front; without it that of the first listener',
    )
    .option('--out <folder>', 'where to write it; without it LOGIN-kit in this folder')
    .action(async (login: string, options: KitOptions) => {
      const { config } = configOf(options);
      const folder = resolve(options.out ?? `${login}-kit`);
      if (existsSync(folder)) throw new AppError('exists', `${folder} is there already; remove it first, or name another one with --out.`);
      const facts = await factsOf(config, login, options, commands.terminal);
      for (const file of kitFiles(facts)) write(folder, file);
      commands.terminal.print(
        `Wrote ${folder}, which holds no secret: give it to those who connect as ${login}. Its README.txt tells how.`,
      );
    });
};

export function kitFiles(facts: KitFacts): KitFile[] {
  const knownHosts = facts.hostKeys.map((key) => `${key.knownHosts}\n`).join('');
  const programs = [...openSshFiles(facts), ...lftpFiles(facts), ...winScpFiles(facts), ...paramikoFiles(facts)];
  const kept = facts.readOnly ? programs.filter(({ path }) => !/\/send\./.test(path)) : programs;
  return [textFile('known_hosts', knownHosts), contractFile(facts), ...kept];
}

async function factsOf(config: Config, login: string, options: KitOptions, terminal: Terminal): Promise<KitFacts> {
  const row = await ask(config, 'login.show', { login }, terminal);
  const partners = await ask(config, 'partner.list', {}, terminal);
  const isShared = ({ home }: { readonly home: string }): boolean =>
    partners.some(({ partnerRegNo, consolidated }) => consolidated && partnerRegNo === home);
  const { data, sftp, gateway } = config;
  const port = options.port === undefined ? sftp.listen.port : portOf(options.port);
  // Where something in front maps the port, the first listener is meant.
  const { listen, profile } = listenersOf(sftp).find((each) => each.listen.port === port) ?? sftp;
  const host = checkedHost(options.host ?? nameOf(listen));
  const keys = await loadHostKeys(join(data, 'keys'), [profile]);
  return {
    login,
    host,
    port,
    ...proofs(row),
    folders: row.homes.map(({ folder }) => folder).filter((folder) => folder !== ''),
    names: namesOf(row.rules.layout),
    answers: row.rules.answers ?? [],
    isShared: row.homes.some(isShared),
    hostKeys: keys.map((key) => ({ ...key, knownHosts: knownHostsLine(key, host, port) })),
    fileMaxBytes: sftp.fileMax,
    receipts: gateway.receipts,
    readOnly: row.rules.readOnly === true,
    rules: shownRules(row.rules),
    keepAcceptedMs: gateway.keepAccepted,
    keepReceiptsMs: gateway.keepReceipts,
    partialsKeptMs: sftp.partialsKept,
  };
}

/** What the scripts prove the login with: a key where it has one, for that needs nobody to type. */
function proofs({ publicKeys, rules: { methods } }: AnswerOf<'login.show'>): Pick<KitFacts, 'byKey' | 'byPassword'> {
  if (methods === 'both') return { byKey: true, byPassword: true };
  const byKey = methods === undefined ? publicKeys.length > 0 : methods === 'key';
  return { byKey, byPassword: !byKey };
}

/** It stands in scripts, bare: what is no name or address could be read as a command. */
function checkedHost(host: string): string {
  if (isIP(host) !== 0 || HOST.test(host)) return host;
  throw new AppError('usage', '--host must be a name of letters, digits, dots and dashes, or an address.');
}

const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})$/;

function portOf(text: string): number {
  const reading = count(1, 65_535).read(/^\d+$/.test(text) ? Number(text) : text);
  if ('problem' in reading) throw new AppError('usage', `--port ${reading.problem}.`);
  return reading.value;
}

function write(folder: string, { path, text, isProgram }: KitFile): void {
  const file = join(folder, path);
  try {
    ensureFolder(dirname(file));
    writeFileSync(file, text, { flag: 'wx' });
    chmodSync(file, isProgram ? 0o755 : 0o644);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new AppError('usage', `${file} cannot be written (${reason}): name a folder that you may write to with --out.`, { cause: error });
  }
}
