// Adding an account by the page, and changing what is set about one.
import { RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import type { Act, Fields } from './act.ts';
import { chosen, countIn, linesIn, said, shownOnce, textOf } from './saying.ts';
import { address } from './words.ts';

const ofAccount = (id: string): string => address('/account', { id });
const ADDRESS = 'scheme:value, as 0007:5567321707';

/** What can be chosen about an account's home: each with what is shown for it, the first where nothing is chosen. */
const HOME_CHOICES = [
  ['receipts', 'Receipts', { '': 'as the settings say', json: 'JSON', text: 'text', csv: 'table (CSV)', ubl: 'UBL' }],
  ['validate', 'Documents are judged', { '': 'as the settings say', local: 'here', core: 'by the service' }],
  ['unreachable', 'Receivers that are not registered', { '': 'tried for about 20 hours', 'at-once': 'told at once' }],
  ['reconciliation', 'Reconciliation file', { '': 'none', daily: 'for each day' }],
  ['repair', 'Refused for their forms alone', { '': 'no repair is suggested', suggest: 'a repair is suggested' }],
] as const;

function homeFields(home: Readonly<Record<(typeof HOME_CHOICES)[number][0], string | null>>): Fields {
  return Object.fromEntries(HOME_CHOICES.map(([name, label, kind]) => [name, { label, kind, value: home[name] ?? '' }]));
}

export const CHANGES_OF_ACCOUNTS: Readonly<Record<string, Act>> = {
  'add-account': {
    label: 'Add an account',
    from: () => '/accounts',
    says: async () =>
      'With a login it has a home here, too; without a public key a password is made up for it. An account of a remote service needs a login and the API key that the service gave.',
    fields: async () => ({
      accountRegNo: { label: 'Account', isRequired: true },
      name: { label: 'Name of the company' },
      participants: { label: `Peppol addresses (${ADDRESS})`, kind: 'lines' },
      login: { label: 'Login' },
      publicKeys: { label: 'Public key of the login', kind: 'lines' },
      apiKey: { label: 'API key of a remote service', kind: 'secret' },
    }),
    async run({ ask }, _id, given) {
      const participants = linesIn(given('participants'));
      const { apiKey, password } = await ask('account.add', {
        accountRegNo: given('accountRegNo'),
        ...said(given, 'name'),
        ...said(given, 'apiKey'),
        ...(participants.length > 0 && { participants }),
        ...(given('login') !== '' && { login: { login: given('login'), ...said(given, 'publicKeys') } }),
      });
      return shownOnce('The account is added', ofAccount(given('accountRegNo')), { 'API key': apiKey, password });
    },
  },
  'change-account': {
    label: 'Change the account',
    from: ofAccount,
    says: async (_visit, id) => `What is said here is set about account ${id}, and what is empty is as the settings say; a name stays.`,
    fields: async ({ ask }, accountRegNo) => {
      const { name, requestsMax, features, home } = await ask('account.show', { accountRegNo });
      return {
        ...(features && {
          name: { label: 'Name of the company', value: name },
          requestsMax: { label: 'Requests a minute', kind: 'number' as const, value: textOf(requestsMax) },
        }),
        ...(home && homeFields(home)),
      };
    },
    async run({ ask }, accountRegNo, given) {
      const { features, home } = await ask('account.show', { accountRegNo });
      await ask('account.set', {
        accountRegNo,
        core: features ? { ...said(given, 'name'), requestsMax: countIn(given, 'requestsMax') } : {},
        home: home
          ? {
              receipts: chosen(given, 'receipts', RECEIPT_FORMS),
              validate: chosen(given, 'validate', ['local', 'core']),
              unreachable: chosen(given, 'unreachable', ['at-once']),
              reconciliation: chosen(given, 'reconciliation', ['daily']),
              repair: chosen(given, 'repair', ['suggest']),
            }
          : {},
      });
      return { to: ofAccount(accountRegNo) };
    },
  },
  'add-address': {
    label: 'Add an address',
    from: ofAccount,
    says: async (_visit, id) => `Account ${id} sends and receives under one more Peppol address.`,
    fields: async () => ({ participant: { label: `Peppol address (${ADDRESS})`, isRequired: true } }),
    async run({ ask }, accountRegNo, given) {
      await ask('account.add-participant', { accountRegNo, participant: given('participant') });
      return { to: ofAccount(accountRegNo) };
    },
  },
  'remove-address': {
    label: 'Remove an address',
    from: ofAccount,
    says: async (_visit, id) => `Account ${id} sends and receives under this address no more.`,
    fields: async ({ ask }, accountRegNo) => {
      const { participants } = await ask('account.show', { accountRegNo });
      return { participant: { label: 'Address', kind: Object.fromEntries(participants.map((each) => [each, each])), isRequired: true } };
    },
    async run({ ask }, accountRegNo, given) {
      await ask('account.remove-participant', { accountRegNo, participant: given('participant') });
      return { to: ofAccount(accountRegNo) };
    },
  },
};
