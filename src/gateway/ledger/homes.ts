// For which homes a statement is.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Homes } from '#gateway/model/homes.ts';

/** So many are values of their own. */
const VALUES_MAX = 16;

/** The home of a row is one of them. */
export function among(homes: Homes): RawBuilder<SqlBool> {
  const isOnly = 'only' in homes;
  const names = isOnly ? homes.only : homes.except;
  if (names.length === 0) return isOnly ? sql`false` : sql`true`;
  return isOnly ? sql`home in (${listOf(names)})` : sql`home not in (${listOf(names)})`;
}

/** Lists as values, which nodes ask with several times a second. */
const asValue = new WeakMap<readonly string[], string>();

/** Thousands are one value, which is made once and which both engines unfold alike. */
function listOf(names: readonly string[]): RawBuilder<string> {
  if (names.length <= VALUES_MAX) return sql.join<string>(names);
  const value = asValue.get(names) ?? JSON.stringify(Object.fromEntries(names.map((name) => [name, 0])));
  asValue.set(names, value);
  return sql`select key from json_each(${value})`;
}

/** The account of the row has one of them. What is of an account that is not there any more is for all homes. */
export function ofAccountAmong(homes: Homes): RawBuilder<SqlBool> {
  if ('only' in homes) return sql`account_reg_no in (select account_reg_no from accounts where ${among(homes)})`;
  return homes.except.length === 0
    ? sql`true`
    : sql`account_reg_no not in (select account_reg_no from accounts where home in (${listOf(homes.except)}))`;
}
