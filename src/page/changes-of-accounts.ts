// Adding an account by the page, and changing what is set about one.
import { RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import type { Act } from './act.ts';
import { countIn, linesIn, said, shownOnce } from './saying.ts';
import { address } from './words.ts';

const ofAccount = (id: string): string => address('/account', { id });
const ADDRESS = 'scheme:value, as 0007:5567321707';

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
    says: async (_visit, id) => `What is said here is set about account ${id}; what is left empty stays as it is.`,
    fields: async ({ ask }, accountRegNo) => {
      const { home } = await ask('account.show', { accountRegNo });
      return {
        name: { label: 'Name of the company' },
        requestsMax: { label: 'Requests a minute', kind: 'number' },
        ...(home && {
          receipts: {
            label: 'Receipts',
            value: home.receipts ?? '',
            kind: { '': 'as it is', json: 'JSON', text: 'text', csv: 'table (CSV)' },
          },
          validate: {
            label: 'Documents are judged',
            value: home.validate ?? '',
            kind: { '': 'as it is', local: 'here', core: 'by the service' },
          },
          unreachable: {
            label: 'Receivers that are not registered',
            value: home.unreachable ?? '',
            kind: { '': 'as it is', 'at-once': 'told at once' },
          },
          reconciliation: {
            label: 'Reconciliation file',
            value: home.reconciliation ?? '',
            kind: { '': 'as it is', daily: 'for each day' },
          },
          repair: {
            label: 'Refused for their forms alone',
            value: home.repair ?? '',
            kind: { '': 'as it is', suggest: 'a repair is suggested' },
          },
        }),
      };
    },
    async run({ ask }, accountRegNo, given) {
      const requestsMax = countIn(given, 'requestsMax');
      const validate = given('validate');
      const receipts = RECEIPT_FORMS.find((form) => form === given('receipts'));
      await ask('account.set', {
        accountRegNo,
        core: { ...said(given, 'name'), ...(requestsMax !== null && { requestsMax }) },
        home: {
          ...(receipts && { receipts }),
          ...((validate === 'local' || validate === 'core') && { validate }),
          ...(given('unreachable') === 'at-once' && { unreachable: 'at-once' as const }),
          ...(given('reconciliation') === 'daily' && { reconciliation: 'daily' as const }),
          ...(given('repair') === 'suggest' && { repair: 'suggest' as const }),
        },
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
