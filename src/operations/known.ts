// What an installation knows: accounts and partners of the core; accounts, partners and logins of the gateway.

import { type PartnerRow, selectPartners } from '#core/ledger/partners.ts';
import { type CoreAccount, listAccounts } from '#core/operate/administration.ts';
import { type LoginRow, readLogin, readLogins } from '#gateway/ledger/logins.ts';
import { type AccountHere, findAccountHere, listAccountsHere } from '#gateway/operate/account-rules.ts';
import { type Child, listPartners, type Partner } from '#gateway/operate/partners.ts';
import type { Ledgers } from './installation.ts';

export type PartnerHere = Partner & { readonly children: readonly Child[] };

/** Each empty where the installation has no such side. */
export interface Known {
  readonly inCore: readonly CoreAccount[];
  readonly partnersInCore: readonly PartnerRow[];
  readonly here: readonly AccountHere[];
  readonly partnersHere: readonly PartnerHere[];
  readonly logins: readonly LoginRow[];
}

export async function readKnown({ core, gateway }: Ledgers): Promise<Known> {
  const [inCore, partnersInCore, here, partnersHere, logins] = await Promise.all([
    core ? listAccounts(core) : [],
    core ? selectPartners(core.ledger.read) : [],
    gateway ? listAccountsHere(gateway) : [],
    gateway ? listPartners(gateway) : [],
    gateway ? readLogins(gateway.ledger.read) : [],
  ]);
  return { inCore, partnersInCore, here, partnersHere, logins };
}

export async function accountHere({ gateway }: Pick<Ledgers, 'gateway'>, accountRegNo: string): Promise<AccountHere | undefined> {
  return gateway ? findAccountHere(gateway, accountRegNo) : undefined;
}

export async function accountInCore({ core }: Pick<Ledgers, 'core'>, accountRegNo: string): Promise<CoreAccount | undefined> {
  return core ? (await listAccounts(core, [accountRegNo]))[0] : undefined;
}

export async function partnerHere({ gateway }: Pick<Ledgers, 'gateway'>, partnerRegNo: string): Promise<PartnerHere | undefined> {
  return gateway ? (await listPartners(gateway, [partnerRegNo]))[0] : undefined;
}

export async function partnerInCore({ core }: Pick<Ledgers, 'core'>, partnerRegNo: string): Promise<PartnerRow | undefined> {
  return core ? (await selectPartners(core.ledger.read, [partnerRegNo]))[0] : undefined;
}

export async function loginHere({ gateway }: Pick<Ledgers, 'gateway'>, login: string): Promise<LoginRow | undefined> {
  return gateway ? readLogin(gateway.ledger.read, login) : undefined;
}

/** Registration numbers, each once, in order. */
export function numbersOf<Key extends string>(key: Key, ...lists: readonly (readonly { readonly [Name in Key]: string }[])[]): string[] {
  return [...new Set(lists.flat().map((each) => each[key]))].sort();
}
