// Operations on accounts: of the embedded core, with their homes here, and of a remote service.

import { type Static, Type } from 'typebox';
import { selectAccountNumbers } from '#core/ledger/accounts.ts';
import { type CoreAccount, listAccounts, removeAccount, updateCoreAccount } from '#core/operate/administration.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { mergePages, type NamePage } from '#domain/name-page.ts';
import { usualRhythm } from '#gateway/alarms/memory.ts';
import { readAccountNumbers } from '#gateway/ledger/accounts.ts';
import { readLastPickups } from '#gateway/ledger/last-uses.ts';
import { readLoginHomes, readLogins } from '#gateway/ledger/logins.ts';
import { KeepRules } from '#gateway/model/keeping.ts';
import { ReceivingRules } from '#gateway/model/receiving.ts';
import { WEEKDAYS } from '#gateway/model/rhythm.ts';
import { type AccountHere, listAccountsHere } from '#gateway/operate/account-rules.ts';
import { removeAccount as removeHome } from '#gateway/operate/accounts.ts';
import { Features, Validation } from './account-forms.ts';
import { Count, Listed, MomentOrNull, TextOrNull } from './forms.ts';
import type { Ledgers } from './installation.ts';
import { numbersOf } from './known.ts';
import { noHome, switchAccount } from './new-account.ts';
import { operation } from './operation.ts';

const State = Type.Enum(['active', 'disabled']);

const ACCOUNT = {
  accountRegNo: Type.String(),
  name: Type.String(),
  state: State,
  /** Null where the account is a remote service's. */
  features: Type.Union([Features, Type.Null()]),
  /** Null as `features` is. */
  validation: Type.Union([Validation, Type.Null()]),
  /** Requests a minute; null is the usual, and where the account is a remote service's. */
  requestsMax: Type.Union([Count, Type.Null()]),
  participants: Type.Array(Type.String()),
  logins: Type.Array(Type.String()),
  /** When a login last downloaded a document from the outbox of its home to its end. */
  lastPickupAt: MomentOrNull,
} as const;
const Account = Type.Object(ACCOUNT);
const Named = Type.Object({ accountRegNo: Type.String() });

export const list = operation(Listed, Type.Array(Account), async (on, { page }) => {
  const only = page && (await numbersOn(on, page));
  const [inCore, here] = await bothOf(on, only);
  return accountsOf(on, inCore, here, only);
});

/** The numbers on a page of the accounts of both sides. */
async function numbersOn({ core, gateway }: Ledgers, page: NamePage): Promise<string[]> {
  const pages = await Promise.all([
    core ? selectAccountNumbers(core.ledger.read, page) : [],
    gateway ? readAccountNumbers(gateway.ledger.read, page) : [],
  ]);
  return mergePages(pages, page);
}

/** All accounts, or those of these that are there, as either side knows them. */
function bothOf({ core, gateway }: Ledgers, only?: readonly string[]): Promise<[CoreAccount[], AccountHere[]]> {
  return Promise.all([core ? listAccounts(core, only) : [], gateway ? listAccountsHere(gateway, only) : []]);
}

/** `only`: what was asked of both sides. By tables: there may be ten thousand, and a look must keep nobody waiting. */
async function accountsOf(
  { gateway }: Ledgers,
  inCore: readonly CoreAccount[],
  here: readonly AccountHere[],
  only?: readonly string[],
): Promise<Static<typeof Account>[]> {
  const [seen, pickups] = await Promise.all([
    gateway ? readLoginHomes(gateway.ledger.read, only) : [],
    gateway ? readLastPickups(gateway.ledger.read, 'home', only && here.map(({ home }) => home)) : new Map<string, number>(),
  ]);
  const byNumber = <One extends { readonly accountRegNo: string }>(all: readonly One[]): ReadonlyMap<string, One> =>
    new Map(all.map((each) => [each.accountRegNo, each]));
  const [ofCore, ofHere] = [byNumber(inCore), byNumber(here)];
  const loginsOf = Map.groupBy(seen, ({ home }) => home);
  return numbersOf('accountRegNo', inCore, here).map((accountRegNo) => {
    const account = ofCore.get(accountRegNo);
    const own = ofHere.get(accountRegNo);
    return {
      accountRegNo,
      name: account?.name ?? '',
      features: account?.features ?? null,
      validation: account?.validation ?? null,
      requestsMax: account?.requestsMax ?? null,
      state: account?.enabled === false || own?.disabled ? 'disabled' : 'active',
      participants: [...(account?.participants ?? [])],
      logins: (loginsOf.get(accountRegNo) ?? []).map(({ login }) => login),
      lastPickupAt: isoTime((own && pickups.get(own.home)) || null),
    };
  });
}

/** What is set for its home here; null where it has none. */
const Home = Type.Object({
  ownKey: Type.Boolean(),
  receipts: TextOrNull,
  hints: Type.Boolean(),
  validate: TextOrNull,
  unreachable: TextOrNull,
  reconciliation: TextOrNull,
  repair: TextOrNull,
  doneFile: TextOrNull,
  receiving: ReceivingRules,
  keep: KeepRules,
  /** The days on which the account usually sends, and the hour in UTC by which it has; null where it has no rhythm. */
  rhythm: Type.Union([Type.Object({ days: Type.Array(Type.Enum(WEEKDAYS)), byHour: Count }), Type.Null()]),
});

export const show = operation(Named, Type.Object({ ...ACCOUNT, home: Type.Union([Home, Type.Null()]) }), async (on, { accountRegNo }) => {
  const [inCore, allHere] = await bothOf(on, [accountRegNo]);
  const [account] = await accountsOf(on, inCore, allHere, [accountRegNo]);
  if (!account) throw new AppError('missing', `There is no account ${accountRegNo}; 'dropgate account list' shows all.`);
  const [here] = allHere;
  if (!on.gateway || !here) return { ...account, home: null };
  const usual = usualRhythm(on.gateway.data, accountRegNo);
  const rhythm = usual && { ...usual, days: [...usual.days] };
  const { ownKey, receipts, hints, validate, unreachable, reconciliation, repair, doneFile, receiving, keep } = here;
  const home = { ownKey, receipts, hints, validate, unreachable, reconciliation, repair, doneFile, receiving, keep, rhythm };
  return { ...account, home };
});

const switched = (enabled: boolean) =>
  operation(Named, Named, async (on, { accountRegNo }) => {
    await switchAccount(on, accountRegNo, enabled);
    return { accountRegNo };
  });
export const disable = switched(false);
export const enable = switched(true);

export const remove = operation(
  Named,
  Type.Object({
    accountRegNo: Type.String(),
    /** It has documents, which the core keeps, so that it is only disabled there. */
    isKept: Type.Boolean(),
    /** Logins that see no account any more. */
    blindLogins: Type.Array(Type.String()),
  }),
  async (on, { accountRegNo }) => {
    const blindLogins = await onlyFor(on, accountRegNo);
    return { accountRegNo, isKept: await removed(on, accountRegNo), blindLogins };
  },
);

/** The logins that see this account and no other. */
async function onlyFor({ gateway }: Ledgers, accountRegNo: string): Promise<string[]> {
  const logins = gateway ? await readLogins(gateway.ledger.read) : [];
  return logins.filter(({ homes }) => homes.length === 1 && homes[0]?.home === accountRegNo).map(({ login }) => login);
}

/** The gateway first, which refuses while files wait. True when the core must keep the account for its documents. */
async function removed({ core, gateway }: Ledgers, accountRegNo: string): Promise<boolean> {
  const hadHome = gateway ? await removeHome(gateway, accountRegNo) : false;
  if (!core) {
    if (!hadHome) throw noHome(accountRegNo);
    return false;
  }
  try {
    await removeAccount(core, accountRegNo);
    return false;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'exists') throw error;
    await updateCoreAccount(core, accountRegNo, { enabled: false });
    return true;
  }
}
