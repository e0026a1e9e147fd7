// `dropgate account`: accounts of the embedded core with their homes here, and accounts of a remote service.
import type { Feature } from '#contract/accounts.ts';
import { removeAccount, rotateKey, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import type { Validation } from '#domain/validation.ts';
import { putAccount, removeAccount as removeHome } from '#gateway/operate/accounts.ts';
import { listLogins } from '#gateway/operate/logins.ts';
import { coreOf, gatewayOf, type Ledgers } from '#operations/installation.ts';
import { addAccountData } from './account-data.ts';
import { tellDoubts } from './address-doubts.ts';
import { type AddCommand, type Commands, soon } from './commands.ts';
import { NO_CREDENTIALS, readCredentials, shownOnce } from './credentials.ts';
import { accountHere, numbersOf, readKnown } from './known.ts';
import { withLedgersAudited } from './ledgers.ts';
import { createAccount, createRemoteAccount, noHome, switchAccount } from './new-account.ts';
import { collect, configOf } from './options.ts';
import { addReceiving, receivingOf, type StartOptions, withStart } from './receiving.ts';
import { addRotateKey, checkNewHolder, type NewHolderOptions, withHolder } from './service-key.ts';
import { addParticipants, addSetAccount } from './set-account.ts';
import { addTakeBack } from './take-back.ts';

export const addAccountCommands: AddCommand = (commands) => {
  const account = commands.group('account');
  addAdd(account);
  account.list('list', 'list the accounts', { what: 'accounts', line: lineOf }, allAccounts);
  addSwitch(account, 'disable', 'its logins no longer see it, and its API keys are refused; nothing is deleted', false);
  addSwitch(account, 'enable', 'it is served again, and its API keys are taken', true);
  addRemove(account);
  addRotateKey(account, 'account', rotate);
  addTakeBack(account);
  addSetAccount(account);
  addParticipants(account);
  addReceiving(account);
  addAccountData(account);
};

interface AddOptions extends NewHolderOptions, StartOptions {
  readonly participant: readonly string[];
}

function addAdd(account: Commands): void {
  const login = 'give it a home, and this SFTP login; without it the account uses the API only';
  const command = withStart(account.configured('add <accountRegNo>', 'add an account; its API key is shown once'));
  withHolder(command, login, 'an account of the remote service that service.url names')
    .option('--participant <scheme:value>', 'a Peppol address of the account, for example 0007:5567321707; may be repeated', collect, [])
    .action((accountRegNo: string, options: AddOptions) => add(account, accountRegNo, options));
}

async function add(commands: Commands, accountRegNo: string, options: AddOptions): Promise<void> {
  const { terminal } = commands;
  const { config } = configOf(options, 'file or ledgers');
  const { name = accountRegNo, participant: participants, login: named, remote } = options;
  checkNewHolder('account', options, config.role, [
    [remote === true && participants.length > 0, 'The participants of a remote account are kept by its service: leave --participant out.'],
  ]);
  const serviceKey = remote ? await terminal.readSecret('API key') : null;
  const { generated, ...proofs } = named === undefined ? NO_CREDENTIALS : await readCredentials(options, terminal);
  const login = named === undefined ? null : { login: named, ...proofs };

  const apiKey = await withLedgersAudited(config, { what: 'account add', given: { accountRegNo, ...options } }, async (ledgers) => {
    const receiving = receivingOf(options);
    if (serviceKey === null) return createAccount(ledgers, { accountRegNo, name, participants, login, receiving });
    if (login) await createRemoteAccount(ledgers, { accountRegNo, receiving }, serviceKey, login);
    return null;
  });
  tellDoubts(terminal, participants);
  commands.tell(config, options, {
    facts: { accountRegNo, apiKey, login: named ?? null, ...(generated !== null && { password: generated }) },
    done: `Account ${accountRegNo} was added.`,
    more: [
      ...shownOnce(apiKey, named, generated),
      serviceKey === null &&
        participants.length === 0 &&
        `It has no address yet, so it can neither send nor receive: 'dropgate account add-participant ${accountRegNo} SCHEME:VALUE' gives it one.`,
    ],
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

async function allAccounts(on: Ledgers): Promise<ListedAccount[]> {
  const { inCore, here, logins } = await readKnown(on);
  return numbersOf('accountRegNo', inCore, here).map((accountRegNo) => {
    const account = inCore.find((each) => each.accountRegNo === accountRegNo);
    const isDisabled = account?.enabled === false || here.some((each) => each.accountRegNo === accountRegNo && each.disabled);
    return {
      accountRegNo,
      name: account?.name ?? '',
      features: account?.features ?? null,
      validation: account?.validation ?? null,
      state: isDisabled ? 'disabled' : 'active',
      participants: account?.participants ?? [],
      logins: logins.filter(({ homes }) => homes.some(({ home }) => home === accountRegNo)).map(({ login }) => login),
    };
  });
}

function lineOf({ accountRegNo, state, name, participants, logins }: ListedAccount): string[] {
  return [accountRegNo, state, name, participants.join(','), logins.join(',')];
}

function addSwitch(account: Commands, name: string, does: string, enabled: boolean): void {
  account.change(`${name} <accountRegNo>`, does, async (on, accountRegNo: string) => {
    await switchAccount(on, accountRegNo, enabled);
    return soon(`Account ${accountRegNo} is ${name}d.`);
  });
}

function addRemove(account: Commands): void {
  account.change('remove <accountRegNo>', 'forget an account; the files of its home stay on disk', async (on, accountRegNo: string) => {
    const blind = await onlyFor(on, accountRegNo);
    const kept = await remove(on, accountRegNo);
    return {
      done: kept
        ? `Account ${accountRegNo} has documents, which are kept: it is disabled in the core, and its home here is forgotten.`
        : `Account ${accountRegNo} was removed.`,
      more: blind.map((login) => `Login ${login} sees no account any more; 'dropgate login remove ${login}' removes it.`),
    };
  });
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
    if (!hadHome) throw noHome(accountRegNo);
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

async function rotate(on: Ledgers, accountRegNo: string, serviceKey: string | null, graceMs: number): Promise<string | null> {
  const here = await accountHere(on, accountRegNo);
  if (serviceKey !== null) {
    if (!here) throw noHome(accountRegNo);
    await putAccount(gatewayOf(on), accountRegNo, serviceKey);
    return null;
  }
  const { apiKey, gatewayKey } = await rotateKey(coreOf(on), accountRegNo, graceMs);
  // For a partner's child the gateway goes on by its partner's tokens.
  if (here?.ownKey) await putAccount(gatewayOf(on), accountRegNo, gatewayKey);
  return apiKey;
}
