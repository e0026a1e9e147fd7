// `dropgate login`: SFTP users, what they prove themselves with, and which homes they see.

import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import type { LoginRow } from '#gateway/ledger/logins.ts';
import { changedRules, type RuleChanges } from '#gateway/model/login-rules.ts';
import {
  addLogin,
  addLoginHome,
  addPublicKey,
  changeRules,
  listLogins,
  removeLogin,
  removeLoginHome,
  removePublicKeys,
  renameFolder,
  setLoginEnabled,
  setPassword,
} from '#gateway/operate/logins.ts';
import { isSameKey } from '#gateway/sftp/auth/public-keys.ts';
import {
  type AddCommand,
  type ConfigOptions,
  collect,
  configOf,
  configured,
  type JsonOptions,
  printJson,
  tellDone,
  tellIfNone,
  tellSoon,
} from './command.ts';
import { type CredentialOptions, publicKeysIn, readCredentials } from './credentials.ts';
import { gatewayOf, withLedgers } from './ledgers.ts';
import { ruleChanges, shownRules, withRules } from './login-rules.ts';
import { ensureHomeOf } from './new-account.ts';
import type { Terminal } from './terminal.ts';

export const addLoginCommands: AddCommand = (parent, terminal) => {
  const login = parent.command('login').description('logins: SFTP users');
  addAdd(login, terminal);
  addChange(login, terminal);
  addList(login, terminal);

  addHomes(login, terminal);
  addSwitch(login, terminal, 'disable', 'nobody gets in by it, and its sessions end; it keeps what it has', false);
  addSwitch(login, terminal, 'enable', 'let it in again', true);

  configured(login, 'remove <login>', 'remove a login; homes and files stay').action(async (name: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    await withLedgers(config, (ledgers) => removeLogin(gatewayOf(ledgers), name));
    tellSoon(terminal, config, `Login ${name} was removed.`);
  });

  configured(login, 'set-password <login>', 'set a new password: one made up here and shown once, or the one on standard input')
    .option('--password-stdin', 'take the password from standard input')
    .action(async (name: string, options: ConfigOptions & CredentialOptions) => {
      const { passwordHash, generated } = await readCredentials({ passwordStdin: options.passwordStdin === true }, terminal);
      if (passwordHash === null) throw new AppError('internal', 'There is no password to set.');
      const { config } = configOf(options);
      await withLedgers(config, (ledgers) => setPassword(gatewayOf(ledgers), name, passwordHash));
      tellSoon(terminal, config, `Login ${name} has the new password.`);
      if (generated !== null) terminal.print(`New password of ${name}, shown once: ${generated}`);
    });

  configured(login, 'add-key <login> <file>', 'let a login in by the public keys of a file').action(
    async (name: string, file: string, options: ConfigOptions) => {
      const keys = publicKeysIn(file);
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        for (const key of keys) await addPublicKey(gatewayOf(ledgers), name, key);
      });
      tellDone(terminal, config, `Login ${name} may use ${keys.length === 1 ? 'the key' : `the ${keys.length} keys`} of ${file}.`);
    },
  );

  configured(login, 'remove-key <login> <file>', 'let a login in no more by the public keys of a file').action(
    async (name: string, file: string, options: ConfigOptions) => {
      const keys = publicKeysIn(file);
      const isMeant = (key: string): boolean => keys.some((each) => isSameKey(each, key));
      const { config } = configOf(options);
      const count = await withLedgers(config, (ledgers) => removePublicKeys(gatewayOf(ledgers), name, isMeant));
      tellSoon(terminal, config, `Login ${name} may no longer use ${count === 1 ? 'the key' : `${count} keys`} of ${file}.`);
    },
  );
};

function addSwitch(login: Command, terminal: Terminal, name: string, sentence: string, enabled: boolean): void {
  configured(login, `${name} <login>`, sentence).action(async (of: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    await withLedgers(config, (ledgers) => setLoginEnabled(gatewayOf(ledgers), of, enabled));
    tellSoon(terminal, config, `Login ${of} is ${name}d.`);
  });
}

function addHomes(login: Command, terminal: Terminal): void {
  configured(login, 'add-home <login> <accountRegNo>', 'let a login see one more account, in a folder of its own')
    .option('--folder <name>', 'name of the folder; without it the accountRegNo')
    .action(async (name: string, accountRegNo: string, { folder = accountRegNo, ...options }: ConfigOptions & { folder?: string }) => {
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        await ensureHomeOf(ledgers, accountRegNo);
        await addLoginHome(gatewayOf(ledgers), name, accountRegNo, folder);
      });
      tellDone(terminal, config, `Login ${name} sees ${accountRegNo} in the folder '${folder}'.`);
    });
  configured(login, 'remove-home <login> <accountRegNo>', 'let a login see an account no more; files stay').action(
    async (name: string, accountRegNo: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      const seen = await withLedgers(config, (ledgers) => removeLoginHome(gatewayOf(ledgers), name, accountRegNo));
      if (!seen) throw new AppError('missing', `Login ${name} does not see ${accountRegNo}; 'dropgate login list' shows what it sees.`);
      tellSoon(terminal, config, `Login ${name} sees ${accountRegNo} no more.`);
    },
  );
  configured(
    login,
    'rename-folder <login> <folder> <name>',
    'give a folder of a login another name (. is the top): tell those whose scripts have the old',
  ).action(async (name: string, folder: string, renamed: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    await withLedgers(config, (ledgers) => renameFolder(gatewayOf(ledgers), name, folder === '.' ? '' : folder, renamed));
    tellDone(terminal, config, `The folder '${folder}' of login ${name} is called '${renamed}' now.`);
  });
}

interface AddOptions extends JsonOptions, CredentialOptions {
  readonly account: readonly string[];
  readonly folder?: string;
}

function addAdd(login: Command, terminal: Terminal): void {
  const command = configured(login, 'add <login>', 'add a login; an account of the core that has no home here gets one')
    .option('--account <accountRegNo>', 'an account that it sees; of several each gets a folder of its own; may be repeated', collect, [])
    .option('--folder <name>', "name of the account's folder; without it a single account's folders stand at the top")
    .option('--password-stdin', 'take the password from standard input instead of making one up')
    .option('--public-key <file>', 'let it in by this public key')
    .option('--json', 'print one JSON object');
  withRules(command).action((name: string, options: AddOptions) => add(name, options, ruleChanges(command), terminal));
}

async function add(name: string, options: AddOptions, rules: RuleChanges, terminal: Terminal): Promise<void> {
  const { account: accounts, folder } = options;
  if (folder !== undefined && accounts.length !== 1) throw new AppError('usage', 'Give --folder together with one --account.');
  const { config } = configOf(options);
  const credentials = await readCredentials(options, terminal, rules.methods === 'both');
  mustBeUsable(name, { ...credentials, rules: changedRules({}, rules) });
  await withLedgers(config, async (ledgers) => {
    const gateway = gatewayOf(ledgers);
    await addLogin(gateway, { login: name, ...credentials, rules });
    try {
      for (const accountRegNo of accounts) {
        await ensureHomeOf(ledgers, accountRegNo);
        await addLoginHome(gateway, name, accountRegNo, folder ?? (accounts.length === 1 ? '' : accountRegNo));
      }
    } catch (error) {
      await removeLogin(gateway, name);
      throw error;
    }
  });
  const { generated } = credentials;
  if (options.json) printJson(terminal, { login: name, ...(generated !== null && { password: generated }) });
  else {
    tellDone(terminal, config, `Login ${name} was added.`);
    if (generated !== null) terminal.print(`Its password, shown once: ${generated}`);
    if (accounts.length === 0) terminal.print(`It sees no account yet: 'dropgate login add-home ${name} ACCOUNT' shows it one.`);
  }
}

function addChange(login: Command, terminal: Terminal): void {
  const command = configured(
    login,
    'change <login>',
    'change the rules that a login is held to; a running daemon, and its sessions, follow within two seconds',
  );
  withRules(command).action(async (name: string, options: ConfigOptions) => {
    const changes = ruleChanges(command);
    if (Object.keys(changes).length === 0) throw new AppError('usage', "Say what to change: 'dropgate login change --help' shows all.");
    const { config } = configOf(options);
    await withLedgers(config, async (ledgers) => {
      const gateway = gatewayOf(ledgers);
      const there = (await listLogins(gateway)).find((each) => each.login === name);
      if (there) mustBeUsable(name, { ...there, rules: changedRules(there.rules, changes) });
      await changeRules(gateway, name, changes);
    });
    tellSoon(terminal, config, `Login ${name} was changed.`);
  });
}

/** A login that has not what its rules ask for could never get in. */
function mustBeUsable(name: string, { passwordHash, publicKeys, rules }: Pick<LoginRow, 'passwordHash' | 'rules'> & Keys): void {
  const { methods } = rules;
  if (methods !== undefined && methods !== 'key' && passwordHash === null) {
    throw new AppError('usage', `Login ${name} needs a password for that: 'dropgate login set-password ${name}' sets one.`);
  }
  if (methods !== undefined && methods !== 'password' && publicKeys.length === 0) {
    throw new AppError(
      'usage',
      `Login ${name} needs a key for that: --public-key, or 'dropgate login add-key ${name} FILE', gives it one.`,
    );
  }
}

interface Keys {
  readonly publicKeys: readonly string[];
}

function addList(login: Command, terminal: Terminal): void {
  configured(login, 'list', 'list the logins')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      const { config } = configOf(options);
      const logins = await withLedgers(config, (ledgers) => listLogins(gatewayOf(ledgers)));
      tellIfNone(terminal, logins, 'logins', config);
      for (const { login: name, disabled, passwordHash, publicKeys, homes, rules } of logins) {
        const state = disabled ? 'disabled' : 'active';
        const ways = [passwordHash === null ? [] : ['password'], publicKeys.length === 0 ? [] : [counted(publicKeys.length, 'key')]].flat();
        const held = shownRules(rules);
        if (options.json) printJson(terminal, { login: name, state, hasPassword: passwordHash !== null, publicKeys, homes, rules });
        else terminal.print([name, state, ways.join('+'), homes.map(shownHome).join(','), ...(held ? [held] : [])].join('\t'));
      }
    });
}

function shownHome({ folder, home }: { folder: string; home: string }): string {
  return folder === '' ? home : `${folder}=${home}`;
}
