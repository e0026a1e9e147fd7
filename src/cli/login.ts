// `dropgate login`: SFTP users, what they prove themselves with, and which homes they see.
import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { shownRules } from '#operations/login-rule-words.ts';
import type { AnswerOf, InputOf } from '#operations/table.ts';
import { type AddCommand, type Commands, type Fact, soon } from './commands.ts';
import { type CredentialOptions, proofsIn, publicKeyFile, shownOnce } from './credentials.ts';
import { ruleChanges, withRules } from './login-rules.ts';
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
    'last login': ({ lastLogin }) => lastLogin && { at: lastLogin.at },
    'last pick-up': ({ lastPickupAt }) => lastPickupAt && { at: lastPickupAt },
  });
  login.asks('list', 'login.list', () => ({}), table);
  const facts = login.facts((row: Login) => [
    ['login', row.login],
    ['state', { state: row.state }],
    ['gets in by', waysOf(row)],
    ['sees', seenBy(row)],
    ['rules', shownRules(row.rules)],
    ['last login', row.lastLogin && [{ at: row.lastLogin.at }, `from ${row.lastLogin.address}`]],
    ['last pick-up', { at: row.lastPickupAt }],
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
  const { terminal } = login;
  const setPassword = ({ login: name, password }: AnswerOf<'login.set-password'>) => ({
    done: soon(`Login ${name} has the new password.`),
    more: [password !== undefined && `New password of ${name}, shown once: ${password}`],
  });
  login
    .asks(
      'set-password <login>',
      'login.set-password',
      async (name: string, { passwordStdin = false }: CredentialOptions) => ({
        login: name,
        ...(await proofsIn({ passwordStdin }, terminal)),
      }),
      login.outcome(setPassword),
    )
    .option('--password-stdin', 'take the password from standard input');

  const keysIn = (name: string, file: string) => ({ login: name, publicKeys: publicKeyFile(file) });
  const keys = (count: number): string => (count === 1 ? 'the key' : `the ${count} keys`);
  login.asks(
    'add-key <login> <file>',
    'login.add-key',
    keysIn,
    login.outcome((answer, name: string, file: string) => `Login ${name} may use ${keys(answer.keys)} of ${file}.`),
  );
  login.asks(
    'remove-key <login> <file>',
    'login.remove-key',
    keysIn,
    login.outcome((answer, name: string, file: string) => soon(`Login ${name} may no longer use ${keys(answer.keys)} of ${file}.`)),
  );
}

function addHomes(login: Commands): void {
  login
    .asks(
      'add-home <login> <accountRegNo>',
      'login.add-home',
      (name: string, accountRegNo: string, { folder = accountRegNo }: { folder?: string }) => ({ login: name, accountRegNo, folder }),
      login.outcome((seen) => `Login ${seen.login} sees ${seen.accountRegNo} in the folder '${seen.folder}'.`),
    )
    .option('--folder <name>', 'name of the folder; without it the accountRegNo');
  login.asks(
    'remove-home <login> <accountRegNo>',
    'login.remove-home',
    (name: string, accountRegNo: string) => ({ login: name, accountRegNo }),
    login.outcome((seen) => soon(`Login ${seen.login} sees ${seen.accountRegNo} no more.`)),
  );
  login.asks(
    'rename-folder <login> <folder> <name>',
    'login.rename-folder',
    (of: string, folder: string, name: string) => ({ login: of, folder: folder === '.' ? '' : folder, name }),
    login.outcome(({ name }, of: string, folder: string) => `The folder '${folder}' of login ${of} is called '${name}' now.`),
  );
}

interface AddOptions extends CredentialOptions {
  readonly account: readonly string[];
  readonly folder?: string;
}

function addAdd(login: Commands): void {
  const told = (answer: AnswerOf<'login.add'>, name: string, { account }: AddOptions) => ({
    done: `Login ${name} was added.`,
    more: [
      ...shownOnce({ ...answer, login: null }),
      account.length === 0 && `It sees no account yet: 'dropgate login add-home ${name} ACCOUNT' shows it one.`,
    ],
  });
  const command: Command = login
    .asks('add <login>', 'login.add', newLogin, login.outcome(told))
    .option('--account <accountRegNo>', 'an account that it sees; of several each gets a folder of its own; may be repeated', collect, [])
    .option('--folder <name>', "name of the account's folder; without it a single account's folders stand at the top")
    .option('--password-stdin', 'take the password from standard input instead of making one up')
    .option('--public-key <file>', 'let it in by this public key');
  withRules(command);

  async function newLogin(name: string, options: AddOptions): Promise<InputOf<'login.add'>> {
    const { account: accounts, folder } = options;
    if (folder !== undefined && accounts.length !== 1) throw new AppError('usage', 'Give --folder together with one --account.');
    const folderOf = (accountRegNo: string): string => folder ?? (accounts.length === 1 ? '' : accountRegNo);
    return {
      login: name,
      rules: ruleChanges(command),
      homes: accounts.map((accountRegNo) => ({ accountRegNo, folder: folderOf(accountRegNo) })),
      ...(await proofsIn(options, login.terminal)),
    };
  }
}

type Login = AnswerOf<'login.list'>[number];

function waysOf({ hasPassword, publicKeys }: Login): string {
  return [hasPassword ? 'password' : [], publicKeys.length === 0 ? [] : counted(publicKeys.length, 'key')].flat().join('+');
}

function seenBy({ homes }: Login): string {
  return homes.map(({ folder, home }) => (folder === '' ? home : `${folder}=${home}`)).join(',');
}
