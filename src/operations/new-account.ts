// A new account across both ledgers: the core's rows and keys, the gateway's home, a login that sees it.
import { addAccount, issueGatewayKey, rotateKey, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { readLogins } from '#gateway/ledger/logins.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { setServed } from '#gateway/operate/account-rules.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { addLogin, addLoginHome, type NewLogin, removeLogin } from '#gateway/operate/logins.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { accountHere, accountInCore, loginHere, partnerHere } from './known.ts';

export interface NewAccount {
  readonly accountRegNo: string;
  readonly name: string;
  readonly participants: readonly string[];
  /** Null for an account that only uses the API: no home, nothing is polled for it. */
  readonly login: NewLogin | null;
  /** How documents are received for it. */
  readonly receiving?: ReceivingChanges;
}

/** Keys that a crash has swallowed are nobody's: they may stay valid beside the new ones. */
const FOREVER_MS = 100 * 365 * 86_400_000;

/**
 * Adds the account and returns its API key, which is shown once. The login comes first and sees nothing until the end: a login without
 * a home, beside an account that no login sees, is what a crash leaves, and the same command finishes it. Throws `usage` and `exists`.
 */
export async function createAccount(ledgers: Ledgers, account: NewAccount): Promise<string> {
  const core = coreOf(ledgers);
  const { accountRegNo, login } = account;
  if (!login) return (await addAccount(core, account)).apiKey;

  return withNewLogin(gatewayOf(ledgers), login, accountRegNo, async (gateway, wasLeft) => {
    const begun = wasLeft && (await accountInCore(ledgers, accountRegNo)) && !(await isSeen(gateway, accountRegNo));
    const { apiKey, gatewayKey } = begun ? await rotateKey(core, accountRegNo, FOREVER_MS) : await addAccount(core, account);
    await putAccount(gateway, accountRegNo, gatewayKey, account.receiving);
    await addLoginHome(gateway, login.login, accountRegNo, '');
    return apiKey;
  });
}

/**
 * Gives an account of the core a home here, when it has none yet, or had to leave its partner; the home of a partner's children is there already. Throws `missing` for an
 * account that the core does not know.
 */
export async function ensureHomeOf(ledgers: Ledgers, accountRegNo: string): Promise<void> {
  const gateway = gatewayOf(ledgers);
  const isShared = (await partnerHere(ledgers, accountRegNo))?.consolidated === true;
  const isHere = isShared || (await accountHere(ledgers, accountRegNo))?.unlinked === false;
  if (!isHere && ledgers.core) await putAccount(gateway, accountRegNo, await issueGatewayKey(ledgers.core, accountRegNo));
}

/** An account of a remote service: a home and a login here, and the service's API key. Throws `usage` and `exists`. */
export async function createRemoteAccount(
  ledgers: Ledgers,
  { accountRegNo, receiving }: Pick<NewAccount, 'accountRegNo' | 'receiving'>,
  serviceKey: string,
  login: NewLogin,
): Promise<void> {
  await withNewLogin(gatewayOf(ledgers), login, accountRegNo, async (gateway) => {
    if (await isSeen(gateway, accountRegNo)) throw new AppError('exists', `Account ${accountRegNo} has a home and a login here already.`);
    await putAccount(gateway, accountRegNo, serviceKey, receiving);
    await addLoginHome(gateway, login.login, accountRegNo, '');
  });
}

/** Adds the login (or takes over one that sees nothing: `wasLeft`), does the rest, and takes a login of its own back when that fails. */
async function withNewLogin<Result>(
  gateway: Administration,
  login: NewLogin,
  accountRegNo: string,
  rest: (gateway: Administration, wasLeft: boolean) => Promise<Result>,
): Promise<Result> {
  const there = await loginHere({ gateway }, login.login);
  const wasLeft = there?.homes.length === 0;
  if (there && !wasLeft) throw taken(login.login, accountRegNo);
  if (wasLeft) await removeLogin(gateway, login.login);
  await addLogin(gateway, login);
  try {
    return await rest(gateway, wasLeft);
  } catch (error) {
    if (!wasLeft) await removeLogin(gateway, login.login);
    throw error;
  }
}

function taken(login: string, accountRegNo: string): AppError {
  return new AppError(
    'exists',
    `Login ${login} is there already. Give the account a login of another name; to let ${login} see it, too, then run 'dropgate login add-home ${login} ${accountRegNo}'.`,
  );
}

/** Whether it is served, wherever it is known. Throws `missing`. */
export async function switchAccount({ core, gateway }: Ledgers, accountRegNo: string, enabled: boolean): Promise<void> {
  const isHere = gateway ? await setServed(gateway, accountRegNo, enabled) : false;
  if (core) await updateCoreAccount(core, accountRegNo, { enabled });
  else if (!isHere) throw noHome(accountRegNo);
}

export function noHome(accountRegNo: string): AppError {
  return new AppError('missing', `Account ${accountRegNo} has no home here; 'dropgate account list' shows all.`);
}

/** Whether a login sees the account's home. What it saw of one that its partner had to leave counts for nothing. */
async function isSeen(gateway: Administration, accountRegNo: string): Promise<boolean> {
  if ((await accountHere({ gateway }, accountRegNo))?.unlinked) return false;
  return (await readLogins(gateway.ledger.read)).some(({ homes }) => homes.some(({ home }) => home === accountRegNo));
}
