// Publications in the ledger: a file owed to a home, with its staged and its final name. A row is the decision; it is never made twice.
import type { PublicationFolder, Rows } from './schema.ts';

export interface Publication {
  readonly publication: number;
  readonly accountRegNo: string;
  readonly folder: PublicationFolder;
  readonly name: string;
  /** Path below the data folder. */
  readonly staged: string;
}

export interface NewPublication extends Omit<Publication, 'publication'> {
  /** Item or integrationId. */
  readonly subject: string;
  readonly stage: string;
}

/**
 * Inserts the row; null when the subject has one for this stage already. A name that another subject has in the folder is made another one.
 */
export async function insertPublication(rows: Rows, owed: NewPublication): Promise<Publication | null> {
  const inserted = await insertUnlessThere(rows, owed);
  if (inserted || (await isDecided(rows, owed))) return inserted;
  return insertUnlessThere(rows, { ...owed, name: `${owed.subject}_${owed.name}`.slice(-NAME_MAX) });
}

/** Fits 255 bytes on every file system, also where characters take more than one. */
const NAME_MAX = 80;

async function insertUnlessThere(rows: Rows, owed: NewPublication): Promise<Publication | null> {
  const row = await rows
    .insertInto('publications')
    .values({
      account_reg_no: owed.accountRegNo,
      folder: owed.folder,
      name: owed.name,
      staged: owed.staged,
      subject: owed.subject,
      stage: owed.stage,
      written_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('publication')
    .executeTakeFirst();
  return row ? { ...owed, publication: row.publication } : null;
}

async function isDecided(rows: Rows, { accountRegNo, subject, folder, stage }: NewPublication): Promise<boolean> {
  const row = await rows
    .selectFrom('publications')
    .select('publication')
    .where('account_reg_no', '=', accountRegNo)
    .where('subject', '=', subject)
    .where('folder', '=', folder)
    .where('stage', '=', stage)
    .executeTakeFirst();
  return row !== undefined;
}

/** All that is owed. */
export async function readOwed(rows: Rows): Promise<Publication[]> {
  const found = await rows.selectFrom('publications').selectAll().where('written_at', 'is', null).orderBy('publication').execute();
  return found.map((row) => ({
    publication: row.publication,
    accountRegNo: row.account_reg_no,
    folder: row.folder,
    name: row.name,
    staged: row.staged,
  }));
}

export async function markWritten(rows: Rows, publications: readonly number[], at: number): Promise<void> {
  await rows.updateTable('publications').set({ written_at: at }).where('publication', 'in', publications).execute();
}
