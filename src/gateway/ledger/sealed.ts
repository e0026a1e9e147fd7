// The gateway's rows that hold a sealed secret: the API keys by which it speaks for accounts and partners.
import { boundOf, foreignOf, type Seal, type Sealed, type SecretPlace } from '#runtime/seal.ts';
import { readAccounts } from './accounts.ts';
import { readPartners } from './partners.ts';
import type { Ledger, Rows } from './schema.ts';

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

/** Binds the secrets of an earlier version to their rows, once. Those that another key has sealed wait for that key. */
export async function bindSealed(ledger: Ledger, seal: Seal): Promise<void> {
  const { bound } = await ledger.read.selectFrom('sealing').select('bound').executeTakeFirstOrThrow();
  if (bound === 1) return;
  await ledger.write(async (rows) => {
    for (const secret of boundOf(seal, await readSealed(rows))) await putSealed(rows, secret);
    if (foreignOf(seal, await readSealed(rows)).length === 0) await rows.updateTable('sealing').set({ bound: 1 }).execute();
  });
}

/** Nothing of it is left; its account or partner is not served until another one is given. */
export async function loseSealed(rows: Rows, lost: SealedKey): Promise<void> {
  await putSealed(rows, { ...lost, sealed: new Uint8Array() });
}

async function putSealed(rows: Rows, { kind, id, sealed: service_key }: SealedKey): Promise<void> {
  if (kind === 'API key of account') await rows.updateTable('accounts').set({ service_key }).where('account_reg_no', '=', id).execute();
  else await rows.updateTable('partners').set({ service_key }).where('partner_reg_no', '=', id).execute();
}
