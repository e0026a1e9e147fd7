// A partner and its children, as commands make them before a gateway starts; it knows nothing of the service but the partner's key.
import { addLogin } from '#gateway/operate/logins.ts';
import { linkChild, type NewChild, putPartner } from '#gateway/operate/partners.ts';
import { PASSWORD_HASH } from '../sftp-server.ts';
import type { WorldOptions } from './world.ts';

export const PARTNER = 'firm';
export const KEY = 'key-of-firm';

/** Addresses of children, with valid check digits. */
export const ADDRESSES = ['0088:7300010000001', '0088:7350000000016', '0088:7300010000018'] as const;
export const STRANGER = '0088:7300010000025';

export type TestChild = Omit<NewChild, 'partnerRegNo'>;

/** child-1 in folder one-ab, and so on. */
export const CHILDREN: readonly TestChild[] = [
  { accountRegNo: 'child-1', folder: 'one-ab', participants: [ADDRESSES[0]] },
  { accountRegNo: 'child-2', folder: 'two-ab', participants: [ADDRESSES[1]] },
  { accountRegNo: 'child-3', folder: 'three-ab', participants: [ADDRESSES[2]] },
];

export interface PartnerOptions {
  readonly key?: string;
  readonly children?: readonly TestChild[];
  readonly consolidated?: boolean;
}

/** A world with the partner alone. Its login is `erp`, with the password of all test servers. */
export function ofPartner({ key = KEY, children = CHILDREN, consolidated = false }: PartnerOptions = {}): WorldOptions {
  return {
    accounts: {},
    async before(on) {
      await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [] });
      await putPartner(on, { partnerRegNo: PARTNER, serviceKey: key, consolidated, login: 'erp' });
      for (const child of children) await linkChild(on, { partnerRegNo: PARTNER, ...child });
    },
  };
}
