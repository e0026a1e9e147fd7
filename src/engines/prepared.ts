// Queries of hot paths, compiled to SQL once: a run only fills in its values.
import { type CompiledQuery, type DatabaseConnection, type Kysely, type RawBuilder, sql } from 'kysely';

export type Value = string | number | null | Uint8Array;

/** Where a query takes a value when it is run; its type is that of the column. */
export type Slot = <Type extends Value>(name: string) => RawBuilder<Type>;

/** Runs the query and resolves with its rows. */
export type Prepared<Tables, Row> = (rows: Kysely<Tables>, values: Readonly<Record<string, Value>>) => Promise<Row[]>;

/** A query whose slots are named; `rows` in `build` is only there to build with. */
export function prepared<Tables, Row>(
  build: (rows: Kysely<Tables>, slot: Slot) => { compile(): CompiledQuery<Row> },
): Prepared<Tables, Row> {
  // By database: dialects differ.
  const compiled = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>();
  return async (rows, values) => {
    let query = compiled.get(rows);
    if (!query) {
      query = build(rows, (name) => sql`${new SlotName(name)}`).compile();
      compiled.set(rows, query);
    }
    const parameters = query.parameters.map((parameter) => (parameter instanceof SlotName ? filled(parameter, values) : parameter));
    const run = shortcuts.get(rows) ?? rows;
    return (await run.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

type Shortcut = Pick<DatabaseConnection, 'executeQuery'>;

const shortcuts = new WeakMap<object, Shortcut>();

/** Prepared queries on `rows` need not pass through Kysely, which takes as long as the query itself: the database runs them at once. */
export function offerShortcut(rows: object, shortcut: Shortcut): void {
  shortcuts.set(rows, shortcut);
}

class SlotName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function filled({ name }: SlotName, values: Readonly<Record<string, Value>>): Value {
  const value = values[name];
  if (value === undefined) throw new RangeError(`the query needs a value for ${name}`);
  return value;
}
