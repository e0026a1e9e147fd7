// Pages of names, as every list of them is read: along the key of its table, behind the last name of the page before.
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { NamePage } from '#domain/name-page.ts';
import { mention } from './contains.ts';

type TableOf<Tables> = keyof Tables & string;
type ColumnOf<Tables, Table extends TableOf<Tables>> = keyof Tables[Table] & string;

/** Where the names stand, and what else is known of them. */
interface NameList<Tables, Table extends TableOf<Tables>, Beside extends TableOf<Tables>> {
  readonly table: Table;
  readonly name: ColumnOf<Tables, Table>;
  readonly texts?: readonly ColumnOf<Tables, Table>[];
  /** A table that has more: in one column the names, in another a text. */
  readonly beside: {
    readonly table: Beside;
    readonly name: ColumnOf<Tables, Beside>;
    readonly text: ColumnOf<Tables, Beside>;
  };
}

/** Those of which the text is a part of what is known. */
export async function readNames<Tables, Table extends TableOf<Tables>, Beside extends TableOf<Tables>>(
  rows: Kysely<Tables>,
  { table, name, texts = [], beside }: NameList<Tables, Table, Beside>,
  { after, limit, text }: NamePage,
): Promise<string[]> {
  const column = (of: string, its: string) => sql.ref<string | null>(`${of}.${its}`);
  const key = column(table, name);
  const own = mention(text, key, ...texts.map((each) => column(table, each)));
  const more = sql`select ${column(beside.table, beside.name)} from ${sql.table(beside.table)} where ${mention(text, column(beside.table, beside.text))}`;
  const wanted = text === '' ? sql<SqlBool>`` : sql<SqlBool>` and (${own} or ${key} in (${more}))`;
  const query = sql<{
    name: string;
  }>`select ${key} as name from ${sql.table(table)} where ${key} > ${after}${wanted} order by ${key} limit ${limit}`;
  return (await query.execute(rows)).rows.map((row) => row.name);
}
