// `dropgate apply`: makes what a file declares and is not there yet. Nothing is removed, and doing it again changes nothing.
import { readFileSync } from 'node:fs';
import { FEATURES } from '#contract/accounts.ts';
import { addAccount, addParticipant, listAccounts, setFeature, setRequestsMax, setValidation } from '#core/administration.ts';
import { AppError } from '#domain/error.ts';
import { addLogin, addLoginHome, addPublicKey, changeRules, listLogins, setPassword } from '#gateway/accounts/administration.ts';
import { publicKeysOf } from '#gateway/sftp/public-keys.ts';
import { type AddCommand, configOf, configured, type JsonOptions, printJson } from './command.ts';
import { type Declaration, parseDeclaration } from './declaration.ts';
import { coreOf, gatewayOf, type Ledgers, withLedgers } from './ledgers.ts';
import { ensureHomeOf } from './new-account.ts';
import { ensurePartner, tellParticipants } from './partnership.ts';

/** A key that was made: it is shown once, before the next step is taken. */
type Made = { readonly accountRegNo: string; readonly apiKey: string } | { readonly partnerRegNo: string; readonly apiKey: string };

export const addApply: AddCommand = (parent, terminal) => {
  configured(parent, 'apply <file>', 'make the accounts, partners and logins that a file declares; API keys that are made are shown once')
    .option('--json', 'print one JSON object per API key that was made')
    .action(async (file: string, options: JsonOptions) => {
      const declaration = parseDeclaration(textOf(file), file);
      await withLedgers(configOf(options).config, (ledgers) =>
        apply(ledgers, declaration, (made) => {
          if (options.json) printJson(terminal, made);
          else terminal.print(`${'accountRegNo' in made ? made.accountRegNo : made.partnerRegNo}\t${made.apiKey}`);
        }),
      );
    });
};

async function apply(ledgers: Ledgers, { accounts, partners, logins }: Declaration, made: (key: Made) => void): Promise<void> {
  for (const account of accounts ?? []) await applyAccount(ledgers, account, made);
  for (const login of logins ?? []) await applyLogin(ledgers, login);
  for (const partner of partners ?? []) await applyPartner(ledgers, partner, made);
  for (const login of logins ?? []) await applyHomes(ledgers, login);
}

type Row<Kind extends keyof Declaration> = NonNullable<Declaration[Kind]>[number];

async function applyAccount(ledgers: Ledgers, account: Row<'accounts'>, made: (key: Made) => void): Promise<void> {
  const core = coreOf(ledgers);
  const { accountRegNo, participants = [] } = account;
  const isThere = (await listAccounts(core)).some((each) => each.accountRegNo === accountRegNo);
  if (isThere) {
    for (const participant of participants) await addParticipant(core, accountRegNo, participant);
    await tellParticipants(ledgers, accountRegNo);
  } else {
    made({ accountRegNo, apiKey: (await addAccount(core, { ...account, participants })).apiKey });
  }
  for (const feature of FEATURES) {
    const active = account.features?.[feature];
    if (active !== undefined) await setFeature(core, accountRegNo, feature, active);
  }
  if (account.validation) await setValidation(core, accountRegNo, account.validation);
  if (account.requests !== undefined) await setRequestsMax(core, accountRegNo, account.requests);
}

async function applyPartner(ledgers: Ledgers, partner: Row<'partners'>, made: (key: Made) => void): Promise<void> {
  const { accounts = [], ...declared } = partner;
  const children = accounts.map((account) => (typeof account === 'string' ? { accountRegNo: account } : account));
  const apiKey = await ensurePartner(ledgers, { ...declared, children });
  if (apiKey !== null) made({ partnerRegNo: partner.partnerRegNo, apiKey });
}

async function applyLogin(ledgers: Ledgers, row: Row<'logins'>): Promise<void> {
  const gateway = gatewayOf(ledgers);
  const { login, publicKeys = [], rules = {} } = row;
  const passwordHash = row.passwordHash ?? null;
  for (const key of publicKeys) publicKeysOf(key, `A key of login ${login}`);
  const there = (await listLogins(gateway)).find((each) => each.login === login);
  if (!there) await addLogin(gateway, { login, passwordHash, publicKeys, rules });
  else {
    for (const key of publicKeys) await addPublicKey(gateway, login, key);
    if (passwordHash !== null && passwordHash !== there.passwordHash) await setPassword(gateway, login, passwordHash);
    if (Object.keys(rules).length > 0) await changeRules(gateway, login, rules);
  }
}

async function applyHomes(ledgers: Ledgers, { login, homes = [] }: Row<'logins'>): Promise<void> {
  for (const { accountRegNo, folder = '' } of homes) {
    await ensureHomeOf(ledgers, accountRegNo);
    await addLoginHome(gatewayOf(ledgers), login, accountRegNo, folder);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('usage', `${file} cannot be read.`, { cause: error });
  }
}
