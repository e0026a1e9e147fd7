// `dropgate apply`: makes what a file declares and is not there yet. Nothing is removed, and doing it again changes nothing.
import { updateCorePartner } from '#core/operate/administration.ts';
import { addLogin, addLoginHome, addPublicKey, changeRules, setLoginEnabled, setPassword } from '#gateway/operate/logins.ts';
import { publicKeysOf } from '#gateway/sftp/auth/public-keys.ts';
import { coreOf, gatewayOf, type Ledgers } from '#operations/installation.ts';
import { accountHere, loginHere, readKnown } from '#operations/known.ts';
import { ensureHomeOf, switchAccount } from '#operations/new-account.ts';
import { ensureChild, ensurePartner, ensureUnlinked } from '#operations/partnership.ts';
import { secretIn } from '#runtime/config/file.ts';
import { tellDoubts } from './address-doubts.ts';
import { applyHere, applyInCore, needsHome, putDeclared, receivingOfAccount } from './apply-account.ts';
import type { AddCommand } from './commands.ts';
import type { Declaration, DeclaredAccount, DeclaredLogin, DeclaredPartner } from './declaration.ts';
import { readDeclaration } from './declaration-file.ts';
import { checkNames } from './declared-names.ts';
import { withLedgersAudited } from './ledgers.ts';
import { configOf, type JsonOptions } from './options.ts';

/** A key that was made: it is shown once, before the next step is taken. */
type Made = { readonly accountRegNo: string; readonly apiKey: string } | { readonly partnerRegNo: string; readonly apiKey: string };

export const addApply: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .configured('apply <file>')
    .option('--json', 'print one JSON object per API key that was made')
    .action(async (file: string, options: JsonOptions) => {
      const declaration = readDeclaration(file);
      const children = (declaration.partners ?? []).flatMap(({ accounts = [] }) => accounts).filter((child) => typeof child !== 'string');
      tellDoubts(
        terminal,
        [...(declaration.accounts ?? []), ...children].flatMap(({ participants = [] }) => participants),
      );
      const { config } = configOf(options, 'file or ledgers');
      const act = { what: 'apply', given: { file }, names: declaredNames(declaration) };
      const made = await withLedgersAudited(config, act, async (ledgers) => {
        const before = await namesIn(ledgers);
        await apply(ledgers, declaration, (key) => {
          if (options.json) commands.printJson(key);
          else terminal.print(`${'accountRegNo' in key ? key.accountRegNo : key.partnerRegNo}\t${key.apiKey}`);
        });
        return [...(await namesIn(ledgers))].filter((name) => !before.has(name));
      });
      if (made.length > 0 && !options.json) terminal.print(`Made in ${config.data}: ${made.join(', ')}.`);
    });
};

function declaredNames({ accounts = [], partners = [], logins = [] }: Declaration): string[] {
  const children = partners
    .flatMap((partner) => partner.accounts ?? [])
    .map((child) => (typeof child === 'string' ? child : child.accountRegNo));
  return [
    ...accounts.map(({ accountRegNo }) => accountRegNo),
    ...children,
    ...partners.map(({ partnerRegNo }) => partnerRegNo),
    ...logins.map(({ login }) => login),
  ];
}

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
async function apply(ledgers: Ledgers, declaration: Declaration, made: (key: Made) => void): Promise<void> {
  await checkNames(ledgers, declaration);
  const { accounts = [], partners = [], logins = [] } = declaration;
  for (const account of accounts) {
    const apiKey = await applyInCore(ledgers, account);
    if (apiKey !== null) made({ accountRegNo: account.accountRegNo, apiKey });
  }
  for (const login of logins) await applyLogin(ledgers, login);
  for (const partner of partners) {
    const apiKey = await applyPartner(ledgers, partner, accounts);
    if (apiKey !== null) made({ partnerRegNo: partner.partnerRegNo, apiKey });
  }
  for (const account of accounts) {
    if (needsHome(account)) await putDeclared(ledgers, account);
    await applyHere(ledgers, account);
    if (account.enabled !== undefined) await switchAccount(ledgers, account.accountRegNo, account.enabled);
  }
  for (const login of logins) await applyHomes(ledgers, login);
}

async function applyPartner(
  ledgers: Ledgers,
  { accounts: children = [], apiKey: place, enabled, requests, childrenMax, ...partner }: DeclaredPartner,
  accounts: readonly DeclaredAccount[],
): Promise<string | null> {
  const { partnerRegNo } = partner;
  const serviceKey = place && { serviceKey: secretIn(place, `The API key of partner ${partnerRegNo}`) };
  const apiKey = await ensurePartner(ledgers, { ...partner, ...serviceKey });
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
