// The operation that makes what a declaration says and is not there yet. Nothing is removed, and doing it again changes nothing.
import { type Static, Type } from 'typebox';
import { updateCorePartner } from '#core/operate/administration.ts';
import { toAppError } from '#domain/error.ts';
import { addLogin, addLoginHome, addPublicKey, changeRules, setLoginEnabled, setPassword } from '#gateway/operate/logins.ts';
import { publicKeysOf } from '#gateway/sftp/auth/public-keys.ts';
import { applyHere, applyInCore, needsHome, putDeclared, receivingOfAccount } from './apply-account.ts';
import { Declaration, type DeclaredAccount, type DeclaredLogin, type DeclaredPartner } from './declaration.ts';
import { checkNames } from './declared-names.ts';
import { GivenKeys, keyOf } from './given-keys.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { accountHere, loginHere, readKnown } from './known.ts';
import { ensureHomeOf, switchAccount } from './new-account.ts';
import { operation } from './operation.ts';
import { ensureChild, ensurePartner, ensureUnlinked } from './partnership.ts';

const Made = Type.Union([
  Type.Object({ accountRegNo: Type.String(), apiKey: Type.String() }),
  Type.Object({ partnerRegNo: Type.String(), apiKey: Type.String() }),
]);
type Made = Static<typeof Made>;

export const apply = operation(
  Type.Object({ declaration: Declaration, keys: GivenKeys }),
  Type.Object({
    /** API keys that were made; nobody can show them again. */
    keys: Type.Array(Made),
    /** What was made, in words: `account 1`, `home of 1`. */
    made: Type.Array(Type.String()),
    /** What went wrong after keys were made, which would be lost with an answer that is an error. */
    failed: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  }),
  async (on, { declaration, keys: given }) => {
    const before = await namesIn(on);
    const keys: Made[] = [];
    let failed = null;
    try {
      await make(on, declaration, given, (key) => keys.push(key));
    } catch (error) {
      if (keys.length === 0) throw error;
      const { code, message } = toAppError(error);
      failed = { code, message };
    }
    return { keys, made: [...(await namesIn(on))].filter((name) => !before.has(name)), failed };
  },
);

/** All that a declaration may make: after a loss the keys alone would not tell what was not there any more. */
async function namesIn(ledgers: Ledgers): Promise<Set<string>> {
  const { inCore, partnersInCore, here, partnersHere, logins } = await readKnown(ledgers);
  return new Set([
    ...inCore.map(({ accountRegNo }) => `account ${accountRegNo}`),
    ...[...partnersInCore, ...partnersHere].map(({ partnerRegNo }) => `partner ${partnerRegNo}`),
    ...here.map(({ accountRegNo }) => `home of ${accountRegNo}`),
    ...logins.map(({ login }) => `login ${login}`),
    ...logins.flatMap(({ login, homes: seen }) => seen.map(({ home }) => `sight of ${home} for login ${login}`)),
  ]);
}

/** Whoever is named by another comes first. What a daemon would do with an account at once is known before it sees it. */
async function make(ledgers: Ledgers, declaration: Declaration, keys: GivenKeys, made: (key: Made) => void): Promise<void> {
  await checkNames(ledgers, declaration);
  const { accounts = [], partners = [], logins = [] } = declaration;
  for (const account of accounts) {
    const apiKey = await applyInCore(ledgers, account);
    if (apiKey !== null) made({ accountRegNo: account.accountRegNo, apiKey });
  }
  for (const login of logins) await applyLogin(ledgers, login);
  for (const partner of partners) {
    const apiKey = await applyPartner(ledgers, partner, { accounts, keys });
    if (apiKey !== null) made({ partnerRegNo: partner.partnerRegNo, apiKey });
  }
  for (const account of accounts) {
    if (needsHome(account)) await putDeclared(ledgers, account, keys);
    await applyHere(ledgers, account);
    if (account.enabled !== undefined) await switchAccount(ledgers, account.accountRegNo, account.enabled);
  }
  for (const login of logins) await applyHomes(ledgers, login);
}

async function applyPartner(
  ledgers: Ledgers,
  { accounts: children = [], apiKey: _, enabled, requests, childrenMax, ...partner }: DeclaredPartner,
  { accounts, keys }: { readonly accounts: readonly DeclaredAccount[]; readonly keys: GivenKeys },
): Promise<string | null> {
  const { partnerRegNo } = partner;
  const serviceKey = keyOf(keys, { partnerRegNo });
  const apiKey = await ensurePartner(ledgers, { ...partner, ...(serviceKey !== undefined && { serviceKey }) });
  for (const child of children) {
    const { linked = true, here = true, ...declared } = typeof child === 'string' ? { accountRegNo: child } : child;
    const receiving = receivingOfAccount(accounts.find((account) => account.accountRegNo === declared.accountRegNo));
    const whole = { partnerRegNo, ...declared, receiving };
    if (linked) await ensureChild(ledgers, whole, here);
    else await ensureUnlinked(ledgers, whole);
  }
  if (requests !== undefined || childrenMax !== undefined) {
    const limits = { ...(requests !== undefined && { requestsMax: requests }), ...(childrenMax !== undefined && { childrenMax }) };
    await updateCorePartner(coreOf(ledgers), partnerRegNo, limits);
  }
  if (enabled !== undefined) await updateCorePartner(coreOf(ledgers), partnerRegNo, { enabled });
  return apiKey;
}

async function applyLogin(ledgers: Ledgers, row: DeclaredLogin): Promise<void> {
  const gateway = gatewayOf(ledgers);
  const { login, publicKeys = [], rules = {}, enabled } = row;
  const passwordHash = row.passwordHash ?? null;
  for (const key of publicKeys) publicKeysOf(key, `A key of login ${login}`);
  const there = await loginHere(ledgers, login);
  if (!there) await addLogin(gateway, { login, passwordHash, publicKeys, rules });
  else {
    for (const key of publicKeys) await addPublicKey(gateway, login, key);
    if (passwordHash !== null && passwordHash !== there.passwordHash) await setPassword(gateway, login, passwordHash);
    if (Object.keys(rules).length > 0) await changeRules(gateway, login, rules);
  }
  if (enabled !== undefined) await setLoginEnabled(gateway, login, enabled);
}

async function applyHomes(ledgers: Ledgers, { login, homes = [] }: DeclaredLogin): Promise<void> {
  const gateway = gatewayOf(ledgers);
  for (const { accountRegNo, folder = '' } of homes) {
    if (!(await accountHere(ledgers, accountRegNo))) await ensureHomeOf(ledgers, accountRegNo);
    await addLoginHome(gateway, login, accountRegNo, folder);
  }
}
