// For which homes a statement is.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Homes } from '#gateway/model/homes.ts';

/** The home in this column is one of them. */
export function among(homes: Homes, column = 'home'): RawBuilder<SqlBool> {
  const isOnly = 'only' in homes;
  const names = isOnly ? homes.only : homes.except;
  if (names.length === 0) return isOnly ? sql`false` : sql`true`;
  return isOnly ? sql`${sql.ref(column)} in (${sql.join(names)})` : sql`${sql.ref(column)} not in (${sql.join(names)})`;
}

/** The account of the row has one of them. What is of an account that is not there any more is for all homes. */
export function ofAccountAmong(homes: Homes): RawBuilder<SqlBool> {
  if ('only' in homes) return sql`account_reg_no in (select account_reg_no from accounts where ${among(homes)})`;
  return homes.except.length === 0
    ? sql`true`
    : sql`account_reg_no not in (select account_reg_no from accounts where home in (${sql.join(homes.except)}))`;
}
