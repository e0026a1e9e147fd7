// How files are dropped into the folders of a home, where that is not as everywhere.
import type { Rows } from './schema.ts';

/** By home. */
export async function readDoneFiles(rows: Rows): Promise<Map<string, string>> {
  const found = await rows.selectFrom('drop_rules').selectAll().execute();
  return new Map(found.map((row) => [row.home, row.done_file]));
}

/** Null: documents of the home need no done-file. */
export async function writeDoneFile(rows: Rows, home: string, doneFile: string | null): Promise<void> {
  await rows.deleteFrom('drop_rules').where('home', '=', home).execute();
  if (doneFile !== null) await rows.insertInto('drop_rules').values({ home, done_file: doneFile }).execute();
}
