// When each login last got in, and when documents were last picked up from each home, and by which login: one row each.
import type { Rows } from './schema.ts';

export interface LastLogin {
  readonly login: string;
  readonly address: string;
  readonly atMs: number;
}

/** Of a login that was removed meanwhile nothing is kept. */
export async function keepLastLogin(rows: Rows, { login, address, atMs }: LastLogin): Promise<void> {
  if (!(await isThere(rows, login))) return;
  await rows
    .insertInto('last_logins')
    .values({ login, address, at: atMs })
    .onConflict((conflict) => conflict.column('login').doUpdateSet({ address, at: atMs }))
    .execute();
}

interface LastPickup {
  readonly home: string;
  readonly login: string;
  readonly atMs: number;
}

/** Of a login that was removed meanwhile nothing is kept. */
export async function keepLastPickup(rows: Rows, { home, login, atMs }: LastPickup): Promise<void> {
  if (!(await isThere(rows, login))) return;
  await rows
    .insertInto('last_pickups')
    .values({ home, login, at: atMs })
    .onConflict((conflict) => conflict.columns(['home', 'login']).doUpdateSet({ at: atMs }))
    .execute();
}

async function isThere(rows: Rows, login: string): Promise<boolean> {
  return (await rows.selectFrom('logins').select('login').where('login', '=', login).executeTakeFirst()) !== undefined;
}

/** Of all logins, or of these. */
export async function readLastLogins(rows: Rows, logins?: readonly string[]): Promise<LastLogin[]> {
  if (logins?.length === 0) return [];
  const all = rows.selectFrom('last_logins').selectAll();
  return (await (logins ? all.where('login', 'in', logins) : all).execute()).map(({ at: atMs, ...row }) => ({ ...row, atMs }));
}

/** The latest by each home, or by each login: of all, or of these. */
export async function readLastPickups(rows: Rows, by: 'home' | 'login', names?: readonly string[]): Promise<Map<string, number>> {
  if (names?.length === 0) return new Map();
  const all = rows
    .selectFrom('last_pickups')
    .select((row) => [row.ref(by).as('of'), row.fn.max<number>('at').as('at')])
    .groupBy(by);
  const found = await (names ? all.where(by, 'in', names) : all).execute();
  return new Map(found.map(({ of, at }) => [of, Number(at)]));
}

/** The latest from this home, by each login. */
export async function readPickupsOf(rows: Rows, home: string): Promise<Map<string, number>> {
  const found = await rows.selectFrom('last_pickups').select(['login', 'at']).where('home', '=', home).execute();
  return new Map(found.map(({ login, at }) => [login, at]));
}

export async function forgetLastUses(rows: Rows, login: string): Promise<void> {
  await rows.deleteFrom('last_pickups').where('login', '=', login).execute();
  await rows.deleteFrom('last_logins').where('login', '=', login).execute();
}
