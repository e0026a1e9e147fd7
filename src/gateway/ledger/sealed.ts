// The gateway's rows that hold a sealed secret: the API keys by which it speaks for accounts and partners.
import type { Sealed, SecretPlace } from '#runtime/seal.ts';
import { readAccounts } from './accounts.ts';
import { readPartners } from './partners.ts';
import type { Rows } from './schema.ts';

export interface SealedKey extends Sealed {
  readonly kind: 'API key of account' | 'API key of partner';
}

/** Where a key stands. */
export function placeOf(kind: SealedKey['kind'], id: string): SecretPlace {
  return { kind, id };
}

export async function readSealed(rows: Rows): Promise<SealedKey[]> {
  const [accounts, partners] = await Promise.all([readAccounts(rows), readPartners(rows)]);
  return [
    ...accounts.flatMap(({ accountRegNo: id, serviceKey: sealed }) =>
      sealed === null ? [] : [{ kind: 'API key of account' as const, id, sealed }],
    ),
    ...partners.map(({ partnerRegNo: id, serviceKey: sealed }) => ({ kind: 'API key of partner' as const, id, sealed })),
  ];
}

/** Those that were lost with the key file, and are to be set anew. */
export async function readLost(rows: Rows): Promise<Omit<SealedKey, 'sealed'>[]> {
  const nothing = new Uint8Array();
  const [accounts, partners] = await Promise.all([
    rows.selectFrom('accounts').select('account_reg_no as id').where('service_key', '=', nothing).orderBy('id').execute(),
    rows.selectFrom('partners').select('partner_reg_no as id').where('service_key', '=', nothing).orderBy('id').execute(),
  ]);
  return [
    ...accounts.map(({ id }) => ({ kind: 'API key of account' as const, id })),
    ...partners.map(({ id }) => ({ kind: 'API key of partner' as const, id })),
  ];
}

/** Nothing of it is left; its account or partner is not served until another one is given. */
export async function loseSealed(rows: Rows, { kind, id }: SealedKey): Promise<void> {
  const service_key = new Uint8Array();
  if (kind === 'API key of account') await rows.updateTable('accounts').set({ service_key }).where('account_reg_no', '=', id).execute();
  else await rows.updateTable('partners').set({ service_key }).where('partner_reg_no', '=', id).execute();
}
