// Lists, creates, reads and changes the child accounts of a partner. Only an administrator assigns participants.
import { type Account, type AccountChange, EMPTY_PROFILE, type NewAccount } from '#contract/accounts.ts';
import { type AccountWithProfile, findAccount, insertAccount, selectChildren, updateAccount } from '#core/ledger/accounts.ts';
import { countLinks, findActivePartner, insertLink } from '#core/ledger/partners.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { checkedName, FEATURES, type Feature } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** Child accounts of a partner at the most, unless an administrator has set another limit. */
const CHILDREN_MAX = 100;

export interface ChildrenParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

export async function listChildren(rows: Rows, partnerRegNo: string, page: { limit: number; offset: number }): Promise<Account[]> {
  return (await selectChildren(rows, partnerRegNo, page)).map(shown);
}

/** Undefined when it is no child of the partner. */
export async function findChild(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<Account | undefined> {
  const [child] = await selectChildren(rows, partnerRegNo, { accountRegNo });
  return child && shown(child);
}

/** Adds an account and links it to the partner. It has no API key: the partner acts for it by token. Throws `usage`, `exists`, and `invalid` at its limit. */
export async function createChild(
  { ledger, clock, log }: ChildrenParts,
  partnerRegNo: string,
  account: NewAccount,
): Promise<Account | undefined> {
  const { accountRegNo, name, appFeatures, ...profile } = account;
  checkedName('accountRegNo', accountRegNo);
  const child = await ledger.write(['administration'], async (rows) => {
    await mustHaveRoom(rows, partnerRegNo);
    if (await findAccount(rows, accountRegNo)) {
      throw new AppError('exists', `There is an account ${accountRegNo} already: choose another accountRegNo.`);
    }
    await insertAccount(rows, { accountRegNo, name }, clock.now());
    await updateAccount(rows, accountRegNo, { features: switched(appFeatures), profile });
    await insertLink(rows, partnerRegNo, accountRegNo);
    return findChild(rows, partnerRegNo, accountRegNo);
  });
  log.info({ event: 'core.child-created', partnerRegNo, accountRegNo });
  return child;
}

/** Each account reserves its number: without a limit a partner could take all numbers to come. */
async function mustHaveRoom(rows: Rows, partnerRegNo: string): Promise<void> {
  const limit = (await findActivePartner(rows, partnerRegNo))?.childrenMax ?? CHILDREN_MAX;
  if ((await countLinks(rows, partnerRegNo)) < limit) return;
  throw new AppError('invalid', `Partner ${partnerRegNo} has ${limit} accounts, which is its limit: an administrator can allow it more.`, {
    facts: { limit },
  });
}

/** Changes what is given, and leaves the rest. Undefined when it is no child of the partner. Throws `invalid`. */
export async function updateChild(
  { ledger, log }: Omit<ChildrenParts, 'clock'>,
  partnerRegNo: string,
  accountRegNo: string,
  change: AccountChange,
): Promise<Account | undefined> {
  const { accountRegNo: given, name, appFeatures, ...changed } = change;
  if (given !== undefined && given !== accountRegNo) throw new AppError('invalid', 'accountRegNo cannot be changed.');
  const child = await ledger.write(['administration'], async (rows) => {
    const [existing] = await selectChildren(rows, partnerRegNo, { accountRegNo });
    if (!existing) return undefined;
    await updateAccount(rows, accountRegNo, { name, features: switched(appFeatures), profile: { ...existing.profile, ...changed } });
    return findChild(rows, partnerRegNo, accountRegNo);
  });
  if (child) log.info({ event: 'core.child-changed', partnerRegNo, accountRegNo, fields: Object.keys(change) });
  return child;
}

function shown({ accountRegNo, name, profile, features }: AccountWithProfile): Account {
  const { apiIntegration, sftpIntegration, capture } = features;
  return {
    accountRegNo,
    name,
    ...EMPTY_PROFILE,
    ...profile,
    appFeatures: {
      apiIntegration: { active: apiIntegration },
      sftpIntegration: { active: sftpIntegration },
      capture: { active: capture },
    },
  };
}

function switched(given: AccountChange['appFeatures'] = {}): Partial<Record<Feature, boolean>> {
  return Object.fromEntries(FEATURES.flatMap((feature) => (given[feature] ? [[feature, given[feature].active]] : [])));
}
