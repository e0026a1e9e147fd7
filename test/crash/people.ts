// Who there is in the scenarios: a seller and a buyer with a home each, an account with an archive that leaves, a partner with a folder for each child, and
// one whose children share a home.
import { type DaemonOptions, SELLER_AND_BUYER } from '../support/daemon.ts';
import { BUYER, SELLER } from '../support/documents.ts';

const ADDRESSES = {
  seller: SELLER,
  buyer: BUYER,
  'child-1': '0088:7300010000018',
  'child-2': '0088:7300010000025',
  'pool-1': '0088:7300010000032',
  'pool-2': '0088:7350000000023',
  leaver: '0088:7300010000049',
} as const;
/** An address of nobody. */
export const NOBODY = '0088:7300010000056';
export type Account = keyof typeof ADDRESSES;

/** Homes; the last one belongs to all children of its partner. */
export const HOMES = ['seller', 'buyer', 'leaver', 'child-1', 'child-2', 'pool'] as const;
export type Home = (typeof HOMES)[number];

const CHILDREN = ['child-1', 'child-2', 'pool-1', 'pool-2'] as const satisfies readonly Account[];
export const ACCOUNTS: readonly Account[] = ['seller', 'buyer', 'leaver', ...CHILDREN];

/** As it is declared, also when it comes back. */
export const LEAVER = {
  accountRegNo: 'leaver',
  participants: [ADDRESSES.leaver],
  login: 'leaver',
  receiving: { archive: '365d' },
} as const;

export const PEOPLE: Pick<DaemonOptions, 'accounts' | 'partners' | 'moreLogins'> = {
  moreLogins: [
    { login: 'strict', accountRegNo: 'seller', rules: { verdict: 'strict' } },
    { login: 'answers', accountRegNo: 'seller', rules: { answers: ['answer', 'test'] } },
  ],
  accounts: [
    ...SELLER_AND_BUYER.map((account) => ({ ...account, repair: 'suggest' as const, unreachable: 'at-once' as const })),
    LEAVER,
    ...CHILDREN.map((accountRegNo) => ({ accountRegNo, participants: [ADDRESSES[accountRegNo]] })),
  ],
  partners: [
    {
      partnerRegNo: 'firm',
      login: 'firm',
      accounts: [
        { accountRegNo: 'child-1', folder: 'one-ab' },
        { accountRegNo: 'child-2', folder: 'two-ab' },
      ],
    },
    { partnerRegNo: 'pool', login: 'pool', consolidated: true, accounts: [{ accountRegNo: 'pool-1' }, { accountRegNo: 'pool-2' }] },
  ],
};

export function addressOf(account: Account): string {
  return ADDRESSES[account];
}

/** Where a login sees the inbox of a home. */
export const INBOXES: Readonly<Record<Home, { readonly login: string; readonly inbox: string }>> = {
  seller: { login: 'erp', inbox: '/inbox' },
  buyer: { login: 'buyer', inbox: '/inbox' },
  leaver: { login: 'leaver', inbox: '/inbox' },
  'child-1': { login: 'firm', inbox: '/one-ab/inbox' },
  'child-2': { login: 'firm', inbox: '/two-ab/inbox' },
  pool: { login: 'pool', inbox: '/inbox' },
};
