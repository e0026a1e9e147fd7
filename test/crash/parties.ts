// The accounts between which the documents of the fault suites go.
import type { DaemonAccount } from '../support/daemon.ts';
import { SELLER } from '../support/documents.ts';

/** Documents of one pair of parties go one after the other, so there are several pairs. */
export const RECEIVERS = ['0088:7350000000016', '0088:7350000000023', '0088:7350000000030', '0088:7350000000047', '0088:7350000000054'];

export type Party = DaemonAccount & { readonly login: string };

/** Each account has a home of its own. */
export interface Parties {
  readonly sellers: readonly Party[];
  /** The receivers are theirs. */
  readonly buyers: readonly Party[];
}

export const ONE_TO_ONE: Parties = {
  sellers: [{ accountRegNo: 'seller', participants: [SELLER], login: 'erp' }],
  buyers: [{ accountRegNo: 'buyer', participants: RECEIVERS, login: 'buyer' }],
};

/** More homes than a few nodes have. */
export const MANY_TO_MANY: Parties = {
  sellers: [
    { accountRegNo: 'seller-1', participants: [SELLER], login: 'erp-1' },
    { accountRegNo: 'seller-2', participants: ['0088:7300010000018'], login: 'erp-2' },
  ],
  buyers: RECEIVERS.map((receiver, at) => ({ accountRegNo: `buyer-${at + 1}`, participants: [receiver], login: `buyer-${at + 1}` })),
};

export function accountsOf({ sellers, buyers }: Parties): Party[] {
  return [...sellers, ...buyers];
}
