// Adding a partner by the page, changing what is set about one, and saying for whom it may act.
import type { Act } from './act.ts';
import { countIn, said, shownOnce, textOf } from './saying.ts';
import { address } from './words.ts';

const ofPartner = (id: string): string => address('/partner', { id });

export const CHANGES_OF_PARTNERS: Readonly<Record<string, Act>> = {
  'add-partner': {
    label: 'Add a partner',
    from: () => '/partners',
    says: async () => 'Its login sees the accounts that it acts for; one that is not there yet is made, with a password that is made up.',
    fields: async () => ({
      partnerRegNo: { label: 'Partner', isRequired: true },
      name: { label: 'Name of the company' },
      login: { label: 'Login' },
      apiKey: { label: 'API key of a remote service', kind: 'secret' },
    }),
    async run({ ask }, _id, given) {
      const partnerRegNo = given('partnerRegNo');
      const { apiKey, password } = await ask('partner.add', {
        partnerRegNo,
        ...said(given, 'name'),
        ...said(given, 'apiKey'),
        ...(given('login') !== '' && { login: { login: given('login') } }),
        consolidated: false,
        limits: {},
      });
      return shownOnce('The partner is added', ofPartner(partnerRegNo), { 'API key': apiKey, password });
    },
  },
  'change-partner': {
    label: 'Change the partner',
    from: ofPartner,
    says: async (_visit, id) =>
      `What is said here is set about partner ${id}. A limit that is empty is the usual; a name and a login stay.`,
    fields: async ({ ask }, partnerRegNo) => {
      const { name, login, enabled, requestsMax, childrenMax } = await ask('partner.show', { partnerRegNo });
      return {
        ...(enabled !== null && { name: { label: 'Name of the company', value: name } }),
        login: { label: 'Login that sees accounts linked from now on', value: login ?? '' },
        ...(enabled !== null && {
          requestsMax: { label: 'Requests a minute', kind: 'number' as const, value: textOf(requestsMax) },
          childrenMax: { label: 'Accounts at the most', kind: 'number' as const, value: textOf(childrenMax) },
        }),
      };
    },
    async run({ ask }, partnerRegNo, given) {
      const { enabled } = await ask('partner.show', { partnerRegNo });
      const limits = { requestsMax: countIn(given, 'requestsMax'), childrenMax: countIn(given, 'childrenMax') };
      await ask('partner.set', { partnerRegNo, ...said(given, 'name'), ...said(given, 'login'), limits: enabled === null ? {} : limits });
      return { to: ofPartner(partnerRegNo) };
    },
  },
  'link-account': {
    label: 'Link an account',
    from: ofPartner,
    says: async (_visit, id) => `Partner ${id} may act for the account, and its login sees the account's home.`,
    fields: async () => ({ account: { label: 'Account', isRequired: true }, folder: { label: 'Folder' } }),
    async run({ ask }, partnerRegNo, given) {
      await ask('partner.link', { partnerRegNo, accountRegNo: given('account'), ...said(given, 'folder') });
      return { to: ofPartner(partnerRegNo) };
    },
  },
  'unlink-account': {
    label: 'Unlink an account',
    from: ofPartner,
    says: async (_visit, id) =>
      `Partner ${id} may act for the account no more, and its tokens for it end at once. Files that wait are held.`,
    fields: async ({ ask }, partnerRegNo) => {
      const { children } = await ask('partner.show', { partnerRegNo });
      const accounts = children.flatMap(({ accountRegNo, state }) => (state === 'unlinked' ? [] : [[accountRegNo, accountRegNo]]));
      return { account: { label: 'Account', kind: Object.fromEntries(accounts), isRequired: true } };
    },
    async run({ ask }, partnerRegNo, given) {
      await ask('partner.unlink', { partnerRegNo, accountRegNo: given('account') });
      return { to: ofPartner(partnerRegNo) };
    },
  },
};
