// `dropgate account`: accounts of the embedded core with their homes here, and accounts of a remote service.
import type { Command } from 'commander';
import type { Feature } from '#contract/accounts.ts';
import { listAccounts, removeAccount, rotateKey, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import type { Validation } from '#domain/validation.ts';
import { listAccountsHere } from '#gateway/operate/account-rules.ts';
import { putAccount, removeAccount as removeHome } from '#gateway/operate/accounts.ts';
import { listLogins } from '#gateway/operate/logins.ts';
import { tellDoubts } from './address-doubts.ts';
import {
  type AddCommand,
  type ConfigOptions,
  collect,
  configOf,
  configured,
  durationOf,
  type JsonOptions,
  printJson,
  tellDone,
  tellIfNone,
  tellSoon,
} from './command.ts';
import { type CredentialOptions, readCredentials } from './credentials.ts';
import { coreOf, gatewayOf, type Ledgers, withLedgers } from './ledgers.ts';
import { createAccount, createRemoteAccount, switchAccount } from './new-account.ts';
import { addReceiving, receivingOf, type StartOptions, withStart } from './receiving.ts';
import { addParticipants, addSetAccount } from './set-account.ts';
import { addTakeBack } from './take-back.ts';
import type { Terminal } from './terminal.ts';

export const addAccountCommands: AddCommand = (parent, terminal) => {
  const account = parent.command('account').description('accounts: companies in the exchange');
  addAdd(account, terminal);
  addList(account, terminal);
  addSwitch(account, terminal, 'disable', 'its logins no longer see it, and its API keys are refused; nothing is deleted', false);
  addSwitch(account, terminal, 'enable', 'it is served again, and its API keys are taken', true);
  addRemove(account, terminal);
  addRotateKey(account, terminal);
  addTakeBack(account, terminal);
  addSetAccount(account, terminal);
  addParticipants(account, terminal);
  addReceiving(account, terminal);
};

interface AddOptions extends JsonOptions, CredentialOptions, StartOptions {
  readonly name?: string;
  readonly participant: readonly string[];
  readonly login?: string;
  readonly remote?: boolean;
  readonly apiKeyStdin?: boolean;
}

function addAdd(account: Command, terminal: Terminal): void {
  withStart(configured(account, 'add <accountRegNo>', 'add an account; its API key is shown once'))
    .option('--name <name>', 'name of the company')
    .option('--participant <scheme:value>', 'a Peppol address of the account, for example 0007:5567321707; may be repeated', collect, [])
    .option('--login <login>', 'give it a home, and this SFTP login; without it the account uses the API only')
    .option('--password-stdin', "take the login's password from standard input instead of making one up")
    .option('--public-key <file>', 'let the login in by this public key')
    .option('--remote', 'an account of the remote service that service.url names')
    .option('--api-key-stdin', "take that service's API key from standard input")
    .option('--json', 'print one JSON object')
    .action((accountRegNo: string, options: AddOptions) => add(accountRegNo, options, terminal));
}

async function add(accountRegNo: string, options: AddOptions, terminal: Terminal): Promise<void> {
  const { config } = configOf(options, 'file or ledgers');
  checkAddOptions(options, config.role);
  const serviceKey = options.remote ? await terminal.readSecret('API key') : null;
  const credentials = options.login === undefined ? null : await readCredentials(options, terminal);
  const login = credentials && options.login !== undefined ? { login: options.login, ...credentials } : null;
  const { name = accountRegNo, participant: participants } = options;

  const apiKey = await withLedgers(config, async (ledgers) => {
    const receiving = receivingOf(options);
    if (serviceKey === null) return createAccount(ledgers, { accountRegNo, name, participants, login, receiving });
    if (login) await createRemoteAccount(ledgers, { accountRegNo, receiving }, serviceKey, login);
    return null;
  });
  const generated = credentials?.generated ?? null;
  tellDoubts(terminal, participants);
  if (options.json) {
    printJson(terminal, { accountRegNo, apiKey, login: options.login ?? null, ...(generated !== null && { password: generated }) });
    return;
  }
  tellDone(terminal, config, `Account ${accountRegNo} was added.`);
  if (apiKey !== null) terminal.print(`API key, shown once: ${apiKey}`);
  if (login) terminal.print(`SFTP login: ${login.login}`);
  if (generated !== null) terminal.print(`Its password, shown once: ${generated}`);
  if (serviceKey === null && participants.length === 0) {
    terminal.print(
      `It has no address yet, so it can neither send nor receive: 'dropgate account add-participant ${accountRegNo} SCHEME:VALUE' gives it one.`,
    );
  }
}

/** Combinations that make no sense, each with its sentence. */
function checkAddOptions(options: AddOptions, role: string): void {
  const { remote, apiKeyStdin, login, passwordStdin, publicKey, participant } = options;
  const wrong: readonly [boolean, string][] = [
    [role === 'gateway' && !remote, 'This gateway submits to a remote service: give --remote, --login and --api-key-stdin.'],
    [role !== 'gateway' && remote === true, 'An account of a remote service needs role gateway and service.url in the configuration.'],
    [remote === true && (!apiKeyStdin || login === undefined), 'An account of a remote service needs --login and --api-key-stdin.'],
    [!remote && apiKeyStdin === true, 'The core makes the API key itself; --api-key-stdin belongs to --remote.'],
    [remote === true && participant.length > 0, 'The participants of a remote account are kept by its service: leave --participant out.'],
    [apiKeyStdin === true && passwordStdin === true, 'Standard input holds one secret: set the password later, or use --public-key.'],
    [
      login === undefined && (passwordStdin === true || publicKey !== undefined),
      'A password or public key belongs to a login: give --login.',
    ],
  ];
  const sentence = wrong.find(([isWrong]) => isWrong)?.[1];
  if (sentence !== undefined) throw new AppError('usage', sentence);
}

function addList(account: Command, terminal: Terminal): void {
  configured(account, 'list', 'list the accounts')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      const { config } = configOf(options);
      const accounts = await withLedgers(config, allAccounts);
      tellIfNone(terminal, accounts, 'accounts', config);
      for (const each of accounts) {
        if (options.json) printJson(terminal, each);
        else terminal.print([each.accountRegNo, each.state, each.name, each.participants.join(','), each.logins.join(',')].join('\t'));
      }
    });
}

interface ListedAccount {
  readonly accountRegNo: string;
  readonly name: string;
  readonly state: 'active' | 'disabled';
  /** Null where the account is a remote service's. */
  readonly features: Readonly<Record<Feature, boolean>> | null;
  /** Null as `features` is. */
  readonly validation: Validation | null;
  readonly participants: readonly string[];
  readonly logins: readonly string[];
}

async function allAccounts({ core, gateway }: Ledgers): Promise<ListedAccount[]> {
  const logins = gateway ? await listLogins(gateway) : [];
  const homes = gateway ? await listAccountsHere(gateway) : [];
  const inCore = core ? await listAccounts(core) : [];
  const known = new Set([...inCore, ...homes].map(({ accountRegNo }) => accountRegNo));
  return [...known].sort().map((accountRegNo) => {
    const account = inCore.find((each) => each.accountRegNo === accountRegNo);
    const home = homes.find((each) => each.accountRegNo === accountRegNo);
    return {
      accountRegNo,
      name: account?.name ?? '',
      features: account?.features ?? null,
      validation: account?.validation ?? null,
      state: account?.enabled === false || home?.disabled ? 'disabled' : 'active',
      participants: account?.participants ?? [],
      logins: logins.filter((login) => login.homes.some(({ home }) => home === accountRegNo)).map(({ login }) => login),
    };
  });
}

function addSwitch(account: Command, terminal: Terminal, name: string, sentence: string, enabled: boolean): void {
  configured(account, `${name} <accountRegNo>`, sentence).action(async (accountRegNo: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    await withLedgers(config, (ledgers) => switchAccount(ledgers, accountRegNo, enabled));
    tellSoon(terminal, config, `Account ${accountRegNo} is ${name}d.`);
  });
}

function addRemove(account: Command, terminal: Terminal): void {
  configured(account, 'remove <accountRegNo>', 'forget an account; the files of its home stay on disk').action(
    async (accountRegNo: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      const { kept, blind } = await withLedgers(config, async (ledgers) => {
        const before = await onlyFor(ledgers, accountRegNo);
        return { kept: await remove(ledgers, accountRegNo), blind: before };
      });
      tellDone(
        terminal,
        config,
        kept
          ? `Account ${accountRegNo} has documents, which are kept: it is disabled in the core, and its home here is forgotten.`
          : `Account ${accountRegNo} was removed.`,
      );
      for (const login of blind) terminal.print(`Login ${login} sees no account any more; 'dropgate login remove ${login}' removes it.`);
    },
  );
}

/** The logins that see this account and no other. */
async function onlyFor({ gateway }: Ledgers, accountRegNo: string): Promise<string[]> {
  const logins = gateway ? await listLogins(gateway) : [];
  return logins.filter(({ homes }) => homes.length === 1 && homes[0]?.home === accountRegNo).map(({ login }) => login);
}

/** The gateway first, which refuses while files wait. True when the core must keep the account for its documents. */
async function remove({ core, gateway }: Ledgers, accountRegNo: string): Promise<boolean> {
  const hadHome = gateway ? await removeHome(gateway, accountRegNo) : false;
  if (!core) {
    if (!hadHome) throw new AppError('missing', `Account ${accountRegNo} has no home here; 'dropgate account list' shows all.`);
    return false;
  }
  try {
    await removeAccount(core, accountRegNo);
    return false;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'exists') throw error;
    await updateCoreAccount(core, accountRegNo, { enabled: false });
    return true;
  }
}

interface RotateOptions extends JsonOptions {
  readonly grace: string;
  readonly apiKeyStdin?: boolean;
}

function addRotateKey(account: Command, terminal: Terminal): void {
  configured(account, 'rotate-key <accountRegNo>', 'make a new API key, shown once; the gateway takes its own new one by itself')
    .option('--grace <duration>', 'how long the old keys stay valid', '24h')
    .option('--api-key-stdin', 'for an account of a remote service: take its new key from standard input')
    .option('--json', 'print one JSON object')
    .action((accountRegNo: string, options: RotateOptions) => rotate(accountRegNo, options, terminal));
}

async function rotate(accountRegNo: string, options: RotateOptions, terminal: Terminal): Promise<void> {
  const graceMs = durationOf('--grace', options.grace, '0s', '90d');
  const { config } = configOf(options);
  if ((config.role === 'gateway') !== (options.apiKeyStdin === true)) {
    throw new AppError('usage', 'Give --api-key-stdin for an account of a remote service, and only for one.');
  }
  const serviceKey = options.apiKeyStdin ? await terminal.readSecret('API key') : null;
  const apiKey = await withLedgers(config, async (ledgers) => {
    const here = ledgers.gateway ? (await listAccountsHere(ledgers.gateway)).find((each) => each.accountRegNo === accountRegNo) : undefined;
    if (serviceKey !== null) {
      if (!here) throw new AppError('missing', `Account ${accountRegNo} has no home here; 'dropgate account list' shows all.`);
      await putAccount(gatewayOf(ledgers), accountRegNo, serviceKey);
      return null;
    }
    const keys = await rotateKey(coreOf(ledgers), accountRegNo, graceMs);
    // For a partner's child the gateway goes on by its partner's tokens.
    if (here?.ownKey) await putAccount(gatewayOf(ledgers), accountRegNo, keys.gatewayKey);
    return keys.apiKey;
  });
  if (options.json) return printJson(terminal, { accountRegNo, apiKey });
  tellDone(terminal, config, `${apiKey === null ? 'The gateway uses the new key of' : 'A new key was made for'} ${accountRegNo}.`);
  if (apiKey !== null) terminal.print(`New API key, shown once: ${apiKey}`);
}
