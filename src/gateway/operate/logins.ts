// Logins, their keys, passwords and rules, and which homes each sees.
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { isHomeOfAccount } from '#gateway/ledger/accounts.ts';
import {
  deleteLogin,
  deleteLoginHome,
  deleteLoginKeys,
  insertLogin,
  insertLoginHome,
  insertLoginKey,
  type LoginRow,
  readLogin,
  updateLogin,
} from '#gateway/ledger/logins.ts';
import { clearPartnerLogin, isSharedHome } from '#gateway/ledger/partners.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { LoginHome } from '#gateway/model/layout.ts';
import { changedRules, type RuleChanges } from '#gateway/model/login-rules.ts';
import { type Administration, change } from './administration.ts';

export interface NewLogin {
  readonly login: string;
  readonly passwordHash: string | null;
  readonly publicKeys: readonly string[];
  readonly rules?: RuleChanges;
}

/** Adds a login without homes. Throws `exists`, and `usage` for rules that are none. */
export async function addLogin(on: Administration, { login, rules = {}, ...given }: NewLogin): Promise<void> {
  checkedName('login', login);
  const row = { ...given, login, rules: changedRules({}, rules), createdAt: on.clock.now() };
  await change(on, async (rows) => {
    const before = await readLogin(rows, login);
    if (before) throw new AppError('exists', `Login ${login} is there already; give it another name, or change it with 'dropgate login'.`);
    await insertLogin(rows, row);
  });
}

/** Lets a login see a home under `folder`; '' puts its folders at the top, and then the login sees no other. Throws `usage`, `missing`, `exists`. */
export function addLoginHome(on: Administration, login: string, home: string, folder: string): Promise<void> {
  return change(on, async (rows) => {
    await existingLogin(rows, login);
    if (!(await isHomeOfAccount(rows, home)) && !(await isSharedHome(rows, home)))
      throw new AppError(
        'missing',
        `Account ${home} has no home on this gateway; add it with 'dropgate account add ${home} --login NAME'.`,
      );
    await putLoginHome(rows, login, { home, folder });
  });
}

/** The row by which a login sees a home. The folder's name is fixed by it: programs at the other end have it in their scripts. */
export async function putLoginHome(rows: Rows, login: string, { home, folder }: LoginHome): Promise<void> {
  if (folder !== '') checkedName('folder', folder);
  const { homes } = await existingLogin(rows, login);
  const before = homes.find((each) => each.home === home);
  if (before?.folder === folder) return;
  if (before) {
    const known = before.folder === '' ? 'at its top' : `in the folder '${before.folder}'`;
    throw new AppError('exists', `Login ${login} sees ${home} ${known} already, and that stays so: programs rely on it.`);
  }
  if (homes.length > 0 && (folder === '' || homes.some((each) => each.folder === ''))) {
    throw new AppError(
      'exists',
      `Login ${login} sees one account at its top, so no other fits beside it; 'dropgate login rename-folder ${login} . NAME' gives that one a folder first.`,
    );
  }
  const taken = homes.find((each) => each.folder.toLowerCase() === folder.toLowerCase());
  if (taken) {
    throw new AppError(
      'exists',
      `Login ${login} has a folder '${taken.folder}' already, of ${taken.home}; choose another name with --folder.`,
    );
  }
  await insertLoginHome(rows, login, { home, folder });
}

/** Gives a folder of a login another name; '' is the top. What relied on the old one finds it no more. Throws `usage`, `missing`, `exists`. */
export function renameFolder(on: Administration, login: string, folder: string, name: string): Promise<void> {
  return change(on, async (rows) => {
    const { homes } = await existingLogin(rows, login);
    const named = homes.find((each) => each.folder === folder);
    if (!named) throw new AppError('missing', `Login ${login} has no folder '${folder}'; 'dropgate login list' shows them.`);
    await deleteLoginHome(rows, named.home, login);
    await putLoginHome(rows, login, { home: named.home, folder: checkedName('folder', name) });
  });
}

/** Takes a home out of a login's sight; false when it did not see it. A partner whose children's one home that is has no login then. */
export function removeLoginHome(on: Administration, login: string, home: string): Promise<boolean> {
  return change(on, async (rows) => {
    await clearPartnerLogin(rows, login, home);
    return deleteLoginHome(rows, home, login);
  });
}

/** One that is disabled is refused as one that is not there; its sessions end. Throws `missing`. */
export function setLoginEnabled(on: Administration, login: string, enabled: boolean): Promise<void> {
  return change(on, async (rows) => {
    await existingLogin(rows, login);
    await updateLogin(rows, login, { disabledAt: enabled ? null : on.clock.now() });
  });
}

/** Throws `missing`. A running daemon ends its sessions within two seconds. A partner whose it was has none then. */
export function removeLogin(on: Administration, login: string): Promise<void> {
  return change(on, async (rows) => {
    await existingLogin(rows, login);
    await clearPartnerLogin(rows, login);
    await deleteLogin(rows, login);
  });
}

/** Throws `missing`. */
export function setPassword(on: Administration, login: string, passwordHash: string): Promise<void> {
  return change(on, async (rows) => {
    await existingLogin(rows, login);
    await updateLogin(rows, login, { passwordHash });
  });
}

/** Throws `missing`; a key that is there already stays as it is. */
export function addPublicKey(on: Administration, login: string, publicKey: string): Promise<void> {
  return change(on, async (rows) => {
    await existingLogin(rows, login);
    await insertLoginKey(rows, login, publicKey);
  });
}

/** Throws `missing` for a login or a key that is not there. `isMeant` picks the keys. Returns how many were removed. */
export function removePublicKeys(on: Administration, login: string, isMeant: (publicKey: string) => boolean): Promise<number> {
  return change(on, async (rows) => {
    const meant = (await existingLogin(rows, login)).publicKeys.filter(isMeant);
    if (meant.length === 0) throw new AppError('missing', `Login ${login} has no such key; 'dropgate login list --json' shows all.`);
    await deleteLoginKeys(rows, login, meant);
    return meant.length;
  });
}

/** Sets rules of a login, or takes them back; the others stay. Throws `missing`, and `usage` for rules that are none. */
export function changeRules(on: Administration, login: string, changes: RuleChanges): Promise<void> {
  return change(on, async (rows) => {
    const { rules } = await existingLogin(rows, login);
    await updateLogin(rows, login, { rules: changedRules(rules, changes) });
  });
}

/** Throws `missing`. */
export async function existingLogin(rows: Rows, login: string): Promise<LoginRow> {
  const row = await readLogin(rows, login);
  if (!row) throw new AppError('missing', `There is no login ${login}; 'dropgate login list' shows all.`);
  return row;
}
