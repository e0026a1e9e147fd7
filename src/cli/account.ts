// `dropgate account`: accounts of the embedded core with their homes here, and accounts of a remote service.
import { toldOfCore, toldOfHome } from '#operations/account-words.ts';
import { toldRhythm } from '#operations/rhythm-words.ts';
import type { AnswerOf, InputOf } from '#operations/table.ts';
import { addAccountData } from './account-data.ts';
import { tellDoubts } from './address-doubts.ts';
import { type AddCommand, type Commands, type Fact, soon } from './commands.ts';
import { proofsIn, shownOnce } from './credentials.ts';
import { collect } from './options.ts';
import { addReceiving, receivingOf, type StartOptions, withStart } from './receiving.ts';
import { holderKey, type NewHolderOptions, type RotateOptions, rotationIn, toldRotation, withHolder, withRotation } from './service-key.ts';
import { addParticipants, addSetAccount } from './set-account.ts';

export const addAccountCommands: AddCommand = (commands) => {
  const account = commands.group('account');
  addAdd(account);
  addLooks(account);
  addActs(account);
  addKeys(account);
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
  const told = (answer: AnswerOf<'account.add'>, accountRegNo: string, { participant }: AddOptions) => ({
    done: `Account ${accountRegNo} was added.`,
    more: [
      ...shownOnce(answer),
      answer.apiKey !== null &&
        participant.length === 0 &&
        `It has no address yet, so it can neither send nor receive: 'dropgate account add-participant ${accountRegNo} SCHEME:VALUE' gives it one.`,
    ],
  });
  const command = account.asks('add <accountRegNo>', 'account.add', newAccount, account.outcome(told), { needs: 'file or ledgers' });
  withHolder(withStart(command), login, 'an account of the remote service that service.url names').option(
    '--participant <scheme:value>',
    'a Peppol address of the account, for example 0007:5567321707; may be repeated',
    collect,
    [],
  );

  async function newAccount(accountRegNo: string, options: AddOptions): Promise<InputOf<'account.add'>> {
    const { name, participant: participants, login: named } = options;
    const { terminal } = account;
    const key = await holderKey('account', options, terminal);
    await tellDoubts(terminal, participants);
    return {
      accountRegNo,
      participants: [...participants],
      receiving: receivingOf(options),
      ...key,
      ...(name !== undefined && { name }),
      ...(named !== undefined && { login: { login: named, ...(await proofsIn(options, terminal)) } }),
    };
  }
}

const input = (accountRegNo: string) => ({ accountRegNo });

function addLooks(account: Commands): void {
  const table = account.table<AnswerOf<'account.list'>[number]>('accounts', {
    account: ({ accountRegNo }) => accountRegNo,
    state: ({ state }) => ({ state }),
    name: ({ name }) => name,
    addresses: ({ participants }) => participants.join(','),
    logins: ({ logins }) => logins.join(','),
    'last pick-up': ({ lastPickupAt }) => lastPickupAt && { at: lastPickupAt },
  });
  account.asks('list', 'account.list', () => ({}), table);
  account.asks('show <accountRegNo>', 'account.show', input, account.facts(factsOf));
}

function factsOf({ home, lastPickupAt, ...account }: AnswerOf<'account.show'>): Fact[] {
  return [
    ['account', account.accountRegNo],
    ['name', account.name],
    ['state', { state: account.state }],
    ['addresses', account.participants.join(', ')],
    ['logins', account.logins.join(', ')],
    ['usually sends', home?.rhythm ? toldRhythm(home.rhythm) : null],
    ['last pick-up', { at: lastPickupAt }],
    ...Object.entries(toldOfCore(account)),
    ...(home ? Object.entries(toldOfHome(home)) : []),
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

function addKeys(account: Commands): void {
  const rotate = account.asks(
    'rotate-key <accountRegNo>',
    'account.rotate-key',
    async (accountRegNo: string, options: RotateOptions) => ({ accountRegNo, ...(await rotationIn(options, account.terminal)) }),
    account.outcome(({ accountRegNo, apiKey }) => toldRotation('account', accountRegNo, apiKey)),
  );
  withRotation(rotate, 'account');

  const taken = ({ accountRegNo, apiKey, waiting }: AnswerOf<'account.take-back'>) => ({
    done: `No partner may act for ${accountRegNo} any more; its documents, addresses and files stay.`,
    more: [
      `New API key, shown once: ${apiKey}`,
      waiting > 0 && `Files of it that wait are held, with receipts: 'dropgate items --account ${accountRegNo}' shows them.`,
    ],
  });
  account.asks('take-back <accountRegNo>', 'account.take-back', input, account.outcome(taken));
}
