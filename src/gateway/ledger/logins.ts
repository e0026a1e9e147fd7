// Logins in the ledger: SFTP users, their keys, and the homes that each sees.
import type { Selectable } from 'kysely';
import type { NamePage } from '#domain/name-page.ts';
import { readNames } from '#engines/names.ts';
import type { Login } from '#gateway/model/account.ts';
import type { LoginHome } from '#gateway/model/layout.ts';
import { type LoginRules, readRules } from '#gateway/model/login-rules.ts';
import { forgetLastUses } from './last-uses.ts';
import type { Rows, Tables } from './schema.ts';

export interface LoginRow extends Login {
  readonly disabled: boolean;
}

/** All, or those of these that are there. */
export async function readLogins(rows: Rows, names?: readonly string[]): Promise<LoginRow[]> {
  if (names?.length === 0) return [];
  let ofLogins = rows.selectFrom('logins').selectAll().orderBy('login');
  let ofKeys = rows.selectFrom('login_keys').selectAll().orderBy('public_key');
  let ofHomes = rows.selectFrom('login_homes').selectAll().orderBy('folder');
  if (names) {
    ofLogins = ofLogins.where('login', 'in', names);
    ofKeys = ofKeys.where('login', 'in', names);
    ofHomes = ofHomes.where('login', 'in', names);
  }
  const [logins, keys, homes] = await Promise.all([ofLogins.execute(), ofKeys.execute(), ofHomes.execute()]);
  const keysOf = Map.groupBy(keys, (key) => key.login);
  const homesOf = Map.groupBy(homes, (home) => home.login);
  return logins.map((row) => loginOf(row, keysOf.get(row.login) ?? [], homesOf.get(row.login) ?? []));
}

/** By their names, and the homes that they see. */
export async function readLoginNames(rows: Rows, page: NamePage): Promise<string[]> {
  const beside = { table: 'login_homes', name: 'login', text: 'home' } as const;
  return readNames(rows, { table: 'logins', name: 'login', beside }, page);
}

/** Which login sees which home, and in which folder: of all, or of these homes. */
export async function readLoginHomes(rows: Rows, homes?: readonly string[]): Promise<Tables['login_homes'][]> {
  if (homes?.length === 0) return [];
  const all = rows.selectFrom('login_homes').selectAll().orderBy('login').orderBy('folder');
  return (homes ? all.where('home', 'in', homes) : all).execute();
}

export async function readLogin(rows: Rows, login: string): Promise<LoginRow | undefined> {
  const row = await rows.selectFrom('logins').selectAll().where('login', '=', login).executeTakeFirst();
  const keys = await rows.selectFrom('login_keys').selectAll().where('login', '=', login).orderBy('public_key').execute();
  const homes = await rows.selectFrom('login_homes').selectAll().where('login', '=', login).orderBy('folder').execute();
  return row && loginOf(row, keys, homes);
}

function loginOf(
  row: Selectable<Tables['logins']>,
  keys: readonly Tables['login_keys'][],
  homes: readonly Tables['login_homes'][],
): LoginRow {
  return {
    login: row.login,
    passwordHash: row.password_hash,
    disabled: row.disabled_at !== null,
    publicKeys: keys.map((key) => key.public_key),
    homes: homes.map(({ home, folder }) => ({ home, folder })),
    rules: readRules(row.rules),
  };
}

interface NewLoginRow extends Pick<LoginRow, 'login' | 'passwordHash' | 'publicKeys' | 'rules'> {
  readonly createdAt: number;
}

export async function insertLogin(rows: Rows, { login, passwordHash, publicKeys, rules, createdAt }: NewLoginRow): Promise<void> {
  await rows
    .insertInto('logins')
    .values({ login, password_hash: passwordHash, disabled_at: null, created_at: createdAt, rules: JSON.stringify(rules) })
    .execute();
  for (const key of publicKeys) await insertLoginKey(rows, login, key);
}

interface LoginChanges {
  readonly passwordHash?: string;
  /** Since when it is refused; null: it is not. */
  readonly disabledAt?: number | null;
  readonly rules?: LoginRules;
}

/** Changes the columns that are given. */
export async function updateLogin(rows: Rows, login: string, { passwordHash, disabledAt, rules }: LoginChanges): Promise<void> {
  await rows
    .updateTable('logins')
    .set({
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(disabledAt !== undefined && { disabled_at: disabledAt }),
      ...(rules !== undefined && { rules: JSON.stringify(rules) }),
    })
    .where('login', '=', login)
    .execute();
}

/** With its keys and homes, and what is known of its use. */
export async function deleteLogin(rows: Rows, login: string): Promise<void> {
  await rows.deleteFrom('login_homes').where('login', '=', login).execute();
  await rows.deleteFrom('login_keys').where('login', '=', login).execute();
  await forgetLastUses(rows, login);
  await rows.deleteFrom('logins').where('login', '=', login).execute();
}

/** A key that is there already stays as it is. */
export async function insertLoginKey(rows: Rows, login: string, publicKey: string): Promise<void> {
  await rows
    .insertInto('login_keys')
    .values({ login, public_key: publicKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteLoginKeys(rows: Rows, login: string, publicKeys: readonly string[]): Promise<void> {
  await rows.deleteFrom('login_keys').where('login', '=', login).where('public_key', 'in', publicKeys).execute();
}

export async function insertLoginHome(rows: Rows, login: string, { home, folder }: LoginHome): Promise<void> {
  await rows.insertInto('login_homes').values({ login, home, folder }).execute();
}

/** Takes a home out of the sight of a login, or without one of all logins. Whether a login saw it. */
export async function deleteLoginHome(rows: Rows, home: string, login?: string): Promise<boolean> {
  const all = rows.deleteFrom('login_homes').where('home', '=', home);
  const { numDeletedRows } = await (login === undefined ? all : all.where('login', '=', login)).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The login sees no home of the partner's children any more. */
export async function deleteLoginHomesOfChildren(rows: Rows, login: string, partnerRegNo: string): Promise<void> {
  const children = rows.selectFrom('accounts').select('account_reg_no').where('partner_reg_no', '=', partnerRegNo);
  await rows.deleteFrom('login_homes').where('login', '=', login).where('home', 'in', children).execute();
}
