// `dropgate account`: accounts of the embedded core with their homes here, and accounts of a remote service.
import { rotateKey } from '#core/operate/administration.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { coreOf, gatewayOf, type Ledgers } from '#operations/installation.ts';
import { accountHere } from '#operations/known.ts';
import { createAccount, createRemoteAccount, noHome } from '#operations/new-account.ts';
import type { AnswerOf } from '#operations/table.ts';
import { addAccountData } from './account-data.ts';
import { tellDoubts } from './address-doubts.ts';
import { type AddCommand, type Commands, type Fact, soon } from './commands.ts';
import { NO_CREDENTIALS, readCredentials, shownOnce } from './credentials.ts';
import { toldKeeping } from './keeping.ts';
import { withLedgersAudited } from './ledgers.ts';
import { collect, configOf } from './options.ts';
import { addReceiving, receivingOf, type StartOptions, toldReceiving, withStart } from './receiving.ts';
import { addRotateKey, checkNewHolder, type NewHolderOptions, withHolder } from './service-key.ts';
import { addParticipants, addSetAccount } from './set-account.ts';
import { addTakeBack } from './take-back.ts';

export const addAccountCommands: AddCommand = (commands) => {
  const account = commands.group('account');
  addAdd(account);
  addLooks(account);
  addActs(account);
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

const input = (accountRegNo: string) => ({ accountRegNo });

function addLooks(account: Commands): void {
  const table = account.table<AnswerOf<'account.list'>[number]>('accounts', {
    account: ({ accountRegNo }) => accountRegNo,
    state: ({ state }) => ({ state }),
    name: ({ name }) => name,
    addresses: ({ participants }) => participants.join(','),
    logins: ({ logins }) => logins.join(','),
  });
  account.asks('list', 'account.list', () => ({}), table);
  account.asks('show <accountRegNo>', 'account.show', input, account.facts(factsOf));
}

function factsOf({ accountRegNo, name, state, features, validation, participants, logins, home }: AnswerOf<'account.show'>): Fact[] {
  const words = (rules: object): string =>
    Object.entries(rules)
      .map(([rule, value]) => `${rule}=${value}`)
      .join(' ');
  return [
    ['account', accountRegNo],
    ['name', name],
    ['state', { state }],
    ['addresses', participants.join(', ')],
    ['logins', logins.join(', ')],
    ['features', features && words(features)],
    ['validation', validation && words(validation)],
    ['API key', home && (home.ownKey ? 'its own' : "its partner's")],
    ['receipts', home && (home.receipts ?? 'as gateway.receipts says')],
    ['judged by', home && (home.validate ?? 'as gateway.validate says')],
    ['hints', home && (home.hints ? 'on' : 'off')],
    ['done-file', home?.doneFile ?? null],
    ['receiving', home && words(toldReceiving(home.receiving))],
    ['kept', home && words(toldKeeping(home.keep, null) ?? {})],
  ];
}

function addActs(account: Commands): void {
  const switched = (how: string) =>
    account.outcome(({ accountRegNo }: { accountRegNo: string }) => soon(`Account ${accountRegNo} is ${how}.`));
  account.asks('disable <accountRegNo>', 'account.disable', input, switched('disabled'));
  account.asks('enable <accountRegNo>', 'account.enable', input, switched('enabled'));
  const removed = ({ accountRegNo, isKept, blindLogins }: AnswerOf<'account.remove'>) => ({
    done: isKept
      ? `Account ${accountRegNo} has documents, which are kept: it is disabled in the core, and its home here is forgotten.`
      : `Account ${accountRegNo} was removed.`,
    more: blindLogins.map((login) => `Login ${login} sees no account any more; 'dropgate login remove ${login}' removes it.`),
  });
  account.asks('remove <accountRegNo>', 'account.remove', input, account.outcome(removed));
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
