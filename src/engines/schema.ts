// Tables as a ledger declares them, once: what Kysely knows of their rows, and what an engine makes of them. Portable columns only.
import type { Generated } from 'kysely';
import { AppError } from '#domain/error.ts';

/**
 * `text` sorts by its bytes; `integer` has 64 bits, of which JavaScript knows 53: milliseconds, counts, 0 or 1; `key` numbers the rows itself,
 * upwards, and gives no number twice.
 */
export type Kind = 'text' | 'integer' | 'blob' | 'key';

/** `Type` is the column's as Kysely has it. */
interface Column<Type> {
  readonly kind: Kind;
  readonly isNullable?: boolean;
  /** What a row has that says nothing of it. */
  readonly preset?: string | number;
  /** `table (column)` that it refers to. */
  readonly reference?: string;
  /** Never there: for the compiler. */
  readonly type?: Type;
}

export interface Table {
  readonly columns: Readonly<Record<string, Column<unknown>>>;
  /** `(columns)`, as SQL; of tables without a `key`. */
  readonly primaryKey?: string;
  /** By name: `(columns)`, perhaps `where` …. */
  readonly uniques?: Readonly<Record<string, string>>;
  readonly indexes?: Readonly<Record<string, string>>;
}

type TableMap = Readonly<Record<string, Table>>;

/** A table that others refer to stands above them. A ledger of another version is not opened. */
export interface Schema<Tables = TableMap> {
  readonly version: number;
  readonly tables: Tables;
}

/** The tables of a schema, as Kysely has them. */
export type TablesOf<Declared extends Schema<TableMap>> = {
  [Name in keyof Declared['tables']]: RowOf<Declared['tables'][Name]['columns']>;
};

type RowOf<Columns> = { [Name in keyof Columns]: Columns[Name] extends Column<infer Type> ? Type : never };

export const text = <Type extends string = string>(): Column<Type> => ({ kind: 'text' });
export const integer = (): Column<number> => ({ kind: 'integer' });
export const blob = (): Column<Uint8Array> => ({ kind: 'blob' });
export const key = (): Column<Generated<number>> => ({ kind: 'key' });
export const nullable = <Type>({ type: _, ...column }: Column<Type>): Column<Type | null> => ({ ...column, isNullable: true });
export const preset = <Type extends string | number>({ type: _, ...column }: Column<Type>, value: Type): Column<Generated<Type>> => ({
  ...column,
  preset: value,
});
export const refers = <Type>(column: Column<Type>, reference: string): Column<Type> => ({ ...column, reference });

/** The statements that make the tables of a schema, in an engine's words for the kinds of columns; `key` makes a primary key as well. */
export function statementsFor({ tables }: Schema, words: Readonly<Record<Kind, string>>): string[] {
  return Object.entries(tables).flatMap(([name, { columns, primaryKey, uniques = {}, indexes = {} }]) => {
    const parts = Object.entries(columns).map(([column, declared]) => `"${column}" ${columnOf(declared, words)}`);
    if (primaryKey) parts.push(`primary key ${primaryKey}`);
    return [
      `create table "${name}" (${parts.join(', ')})`,
      ...Object.entries(uniques).map(([index, of]) => `create unique index "${index}" on "${name}" ${of}`),
      ...Object.entries(indexes).map(([index, of]) => `create index "${index}" on "${name}" ${of}`),
    ];
  });
}

function columnOf({ kind, isNullable, preset, reference }: Column<unknown>, words: Readonly<Record<Kind, string>>): string {
  const value = typeof preset === 'string' ? `'${preset}'` : preset;
  const parts = [
    isNullable ? '' : ' not null',
    value === undefined ? '' : ` default ${value}`,
    reference ? ` references ${reference}` : '',
  ];
  return `${words[kind]}${parts.join('')}`;
}

/** Throws `usage` where the version that a ledger was made with is not ours; null was made before there were versions. */
export function checkVersion(ledger: string, found: number | null, { version }: Pick<Schema, 'version'>): void {
  if (found === version) return;
  if (found !== null && found > version) {
    throw new AppError(
      'usage',
      `${ledger} was made by a later version of Dropgate (its schema is ${found}, this one knows ${version}): run that version, or restore a backup from before the update.`,
    );
  }
  throw new AppError(
    'usage',
    `${ledger} was made by an earlier version of Dropgate, whose data this one does not take over. Run the earlier version until 'dropgate items' shows nothing open, and 'dropgate export' with it; then name an empty folder as 'data', and where the ledgers are in PostgreSQL an empty database in database.url, and 'dropgate apply' what was exported with this version.`,
  );
}
