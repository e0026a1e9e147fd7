// `dropgate login`: SFTP users, what they prove themselves with, and which homes they see.
import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { changedRules } from '#gateway/model/login-rules.ts';
import {
  addLogin,
  addLoginHome,
  addPublicKey,
  removeLogin,
  removeLoginHome,
  removePublicKeys,
  renameFolder,
  setPassword,
} from '#gateway/operate/logins.ts';
import { isSameKey } from '#gateway/sftp/auth/public-keys.ts';
import { gatewayOf } from '#operations/installation.ts';
import { mustBeUsable } from '#operations/logins.ts';
import { ensureHomeOf } from '#operations/new-account.ts';
import type { AnswerOf } from '#operations/table.ts';
import { type AddCommand, type Commands, type Fact, soon } from './commands.ts';
import { type CredentialOptions, publicKeysIn, readCredentials, shownOnce } from './credentials.ts';
import { ruleChanges, shownRules, withRules } from './login-rules.ts';
import { collect } from './options.ts';

export const addLoginCommands: AddCommand = (commands) => {
  const login = commands.group('login');
  addAdd(login);
  addLooks(login);
  addHomes(login);
  addActs(login);
  addProofs(login);
};

const input = (login: string) => ({ login });

function addLooks(login: Commands): void {
  const table = login.table<Login>('logins', {
    login: (row) => row.login,
    state: ({ state }) => ({ state }),
    'gets in by': waysOf,
    sees: seenBy,
    rules: ({ rules }) => shownRules(rules) || null,
  });
  login.asks('list', 'login.list', () => ({}), table);
  const facts = login.facts((row: Login) => [
    ['login', row.login],
    ['state', { state: row.state }],
    ['gets in by', waysOf(row)],
    ['sees', seenBy(row)],
    ['rules', shownRules(row.rules)],
    ...row.publicKeys.map((key): Fact => ['key', key]),
  ]);
  login.asks('show <login>', 'login.show', input, facts);
}

function addActs(login: Commands): void {
  const told = (how: string) => login.outcome(({ login: name }: { login: string }) => soon(`Login ${name} ${how}.`));
  login.asks('disable <login>', 'login.disable', input, told('is disabled'));
  login.asks('enable <login>', 'login.enable', input, told('is enabled'));
  login.asks('remove <login>', 'login.remove', input, told('was removed'));
  const set: Command = login.asks(
    'set <login>',
    'login.set',
    (name: string) => ({ login: name, rules: ruleChanges(set) }),
    told('was changed'),
  );
  withRules(set).alias('change');
}

function addProofs(login: Commands): void {
  const setting = 'set a new password: one made up here and shown once, or the one on standard input';
  login
    .change('set-password <login>', setting, async (on, name: string, { passwordStdin = false }: CredentialOptions) => {
      const { passwordHash, generated } = await readCredentials({ passwordStdin }, login.terminal);
      if (passwordHash === null) throw new AppError('internal', 'There is no password to set.');
      await setPassword(gatewayOf(on), name, passwordHash);
      return {
        done: soon(`Login ${name} has the new password.`),
        more: [generated !== null && `New password of ${name}, shown once: ${generated}`],
      };
    })
    .option('--password-stdin', 'take the password from standard input');

  login.change('add-key <login> <file>', 'let a login in by the public keys of a file', async (on, name: string, file: string) => {
    const keys = publicKeysIn(file);
    for (const key of keys) await addPublicKey(gatewayOf(on), name, key);
    return `Login ${name} may use ${keys.length === 1 ? 'the key' : `the ${keys.length} keys`} of ${file}.`;
  });

  login.change(
    'remove-key <login> <file>',
    'let a login in no more by the public keys of a file',
    async (on, name: string, file: string) => {
      const keys = publicKeysIn(file);
      const count = await removePublicKeys(gatewayOf(on), name, (key) => keys.some((each) => isSameKey(each, key)));
      return soon(`Login ${name} may no longer use ${count === 1 ? 'the key' : `${count} keys`} of ${file}.`);
    },
  );
}

function addHomes(login: Commands): void {
  const adding = 'let a login see one more account, in a folder of its own';
  login
    .change('add-home <login> <accountRegNo>', adding, async (on, name: string, regNo: string, { folder = regNo }: { folder?: string }) => {
      await ensureHomeOf(on, regNo);
      await addLoginHome(gatewayOf(on), name, regNo, folder);
      return `Login ${name} sees ${regNo} in the folder '${folder}'.`;
    })
    .option('--folder <name>', 'name of the folder; without it the accountRegNo');

  const removing = 'let a login see an account no more; files stay';
  login.change('remove-home <login> <accountRegNo>', removing, async (on, name: string, accountRegNo: string) => {
    const seen = await removeLoginHome(gatewayOf(on), name, accountRegNo);
    if (!seen) throw new AppError('missing', `Login ${name} does not see ${accountRegNo}; 'dropgate login list' shows what it sees.`);
    return soon(`Login ${name} sees ${accountRegNo} no more.`);
  });

  const renaming = 'give a folder of a login another name (. is the top): tell those whose scripts have the old';
  login.change('rename-folder <login> <folder> <name>', renaming, async (on, name: string, folder: string, renamed: string) => {
    await renameFolder(gatewayOf(on), name, folder === '.' ? '' : folder, renamed);
    return `The folder '${folder}' of login ${name} is called '${renamed}' now.`;
  });
}

interface AddOptions extends CredentialOptions {
  readonly account: readonly string[];
  readonly folder?: string;
}

function addAdd(login: Commands): void {
  const does = 'add a login; an account of the core that has no home here gets one';
  const command = login
    .change('add <login>', does, async (on, name: string, options: AddOptions) => {
      const { account: accounts, folder } = options;
      if (folder !== undefined && accounts.length !== 1) throw new AppError('usage', 'Give --folder together with one --account.');
      const rules = ruleChanges(command);
      const { generated, ...proofs } = await readCredentials(options, login.terminal, rules.methods === 'both');
      mustBeUsable(name, { ...proofs, rules: changedRules({}, rules) });
      const gateway = gatewayOf(on);
      await addLogin(gateway, { login: name, ...proofs, rules });
      try {
        for (const accountRegNo of accounts) {
          await ensureHomeOf(on, accountRegNo);
          await addLoginHome(gateway, name, accountRegNo, folder ?? (accounts.length === 1 ? '' : accountRegNo));
        }
      } catch (error) {
        await removeLogin(gateway, name);
        throw error;
      }
      return {
        facts: { login: name, ...(generated !== null && { password: generated }) },
        done: `Login ${name} was added.`,
        more: [
          ...shownOnce(null, undefined, generated),
          accounts.length === 0 && `It sees no account yet: 'dropgate login add-home ${name} ACCOUNT' shows it one.`,
        ],
      };
    })
    .option('--account <accountRegNo>', 'an account that it sees; of several each gets a folder of its own; may be repeated', collect, [])
    .option('--folder <name>', "name of the account's folder; without it a single account's folders stand at the top")
    .option('--password-stdin', 'take the password from standard input instead of making one up')
    .option('--public-key <file>', 'let it in by this public key')
    .option('--json', 'print one JSON object');
  withRules(command);
}

type Login = AnswerOf<'login.list'>[number];

function waysOf({ hasPassword, publicKeys }: Login): string {
  return [hasPassword ? 'password' : [], publicKeys.length === 0 ? [] : counted(publicKeys.length, 'key')].flat().join('+');
}

function seenBy({ homes }: Login): string {
  return homes.map(({ folder, home }) => (folder === '' ? home : `${folder}=${home}`)).join(',');
}
