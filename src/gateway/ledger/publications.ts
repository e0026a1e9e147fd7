// Publications in the ledger: a file owed to a home, with its staged and its final name. A row is the decision; it is never made twice.
import type { Selectable } from 'kysely';
import { AppError } from '#domain/error.ts';
import { inGroups } from '#domain/groups.ts';
import { pipelined } from '#engines/pipelined.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows, Tables } from './schema.ts';
import type { PublicationFolder } from './tables/sending.ts';

export interface Publication {
  readonly publication: number;
  readonly accountRegNo: string;
  readonly home: string;
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

/** The stage under which the suggested repair of a refused item is published. */
export const SUGGESTED = 'suggested';

/** It is what was dropped, and not a suggestion beside it. */
export function isOriginal<File extends Pick<NewPublication, 'folder' | 'stage'>>(
  file: File,
): file is File & { readonly folder: 'accepted' | 'refused' } {
  return (file.folder === 'accepted' || file.folder === 'refused') && file.stage !== SUGGESTED;
}

/** One of a subject for a stage: null when it has one already. Throws as `insertPublications` does. */
export async function insertPublication(rows: Rows, owed: NewPublication): Promise<Publication | null> {
  const [inserted = null] = await insertPublications(rows, [owed]);
  return inserted;
}

/**
 * Inserts rows for files of different folders, two at the most; those that a subject has for a stage already are left out. A name that another
 * subject has in the folder is made another one. Throws `exists` when that is taken as well: a file that is not owed must not count as decided.
 */
export async function insertPublications(rows: Rows, owed: readonly NewPublication[]): Promise<Publication[]> {
  const inserted = await insertUnlessThere(rows, owed);
  for (const each of owed) {
    if (inserted.some(({ folder }) => folder === each.folder) || (await isDecided(rows, each))) continue;
    const [other] = await insertUnlessThere(rows, [{ ...each, name: otherName(each) }]);
    if (!other) throw new AppError('exists', `two files of ${each.folder} cannot be told apart by their names: ${each.name}`);
    inserted.push(other);
  }
  return inserted;
}

/** With both parts a name fits 255 bytes on every file system, also where characters take three. */
const SUBJECT_MAX = 60;
const NAME_MAX = 60;

/** The subject, which may be anything that a service calls a document, as a part of the name. */
function otherName({ subject, name }: NewPublication): string {
  return `${subject.replaceAll(/[^A-Za-z0-9.-]/g, '-').slice(-SUBJECT_MAX)}_${name.slice(-NAME_MAX)}`;
}

/** One statement for each number of rows. */
const NEW_PUBLICATIONS = [1, 2].map((count) =>
  prepared((rows: Rows, slot) =>
    rows
      .insertInto('publications')
      .values(
        Array.from({ length: count }, (_, at) => ({
          account_reg_no: slot<string>(`accountRegNo${at}`),
          home: slot<string>(`home${at}`),
          folder: slot<PublicationFolder>(`folder${at}`),
          name: slot<string>(`name${at}`),
          staged: slot<string>(`staged${at}`),
          subject: slot<string>(`subject${at}`),
          stage: slot<string>(`stage${at}`),
          written_at: null,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(['publication', 'folder']),
  ),
);

async function insertUnlessThere(rows: Rows, owed: readonly NewPublication[]): Promise<Publication[]> {
  const insert = NEW_PUBLICATIONS[owed.length - 1];
  if (!insert) throw new RangeError(`${owed.length} files cannot be owed at once`);
  const values = owed.flatMap((each, at) => Object.entries(each).map(([name, value]) => [`${name}${at}`, value] as const));
  const inserted = await insert(rows, Object.fromEntries(values));
  return owed.flatMap((each) => {
    const row = inserted.find(({ folder }) => folder === each.folder);
    return row ? { ...each, publication: row.publication } : [];
  });
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

/** All that is owed to these homes, to each in its order. */
export async function readOwed(rows: Rows, homes: Homes): Promise<Publication[]> {
  const owed = rows.selectFrom('publications').selectAll().where('written_at', 'is', null).where(among(homes));
  return (await owed.orderBy('home').orderBy('publication').execute()).map(publicationOf);
}

/** That one, if it is owed. */
export async function readOwedOne(rows: Rows, publication: number): Promise<Publication | undefined> {
  const owed = rows.selectFrom('publications').selectAll().where('written_at', 'is', null);
  const row = await owed.where('publication', '=', publication).executeTakeFirst();
  return row && publicationOf(row);
}

function publicationOf(row: Selectable<Tables['publications']>): Publication {
  return {
    publication: row.publication,
    accountRegNo: row.account_reg_no,
    home: row.home,
    folder: row.folder,
    name: row.name,
    staged: row.staged,
  };
}

/** A file of the outbox that was decided before. */
export async function readPublished(rows: Rows, accountRegNo: string, subject: string, stage: string): Promise<Publication | undefined> {
  const row = await rows
    .selectFrom('publications')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('subject', '=', subject)
    .where('folder', '=', 'outbox')
    .where('stage', '=', stage)
    .executeTakeFirst();
  return row && publicationOf(row);
}

/** It is owed once more, under the name that it had, from another staged file. */
export async function publishAgain(rows: Rows, published: Publication, staged: string): Promise<Publication> {
  await rows.updateTable('publications').set({ staged, written_at: null }).where('publication', '=', published.publication).execute();
  return { ...published, staged };
}

/** Whose original, or suggested repair, has this name in a home's folder of refused ones; undefined where the ledger does not know. */
export async function readRefused(rows: Rows, home: string, name: string): Promise<{ item: string; isOriginal: boolean } | undefined> {
  const row = await rows
    .selectFrom('publications')
    .select(['subject', 'folder', 'stage'])
    .where('home', '=', home)
    .where('folder', '=', 'refused')
    .where('name', '=', name)
    .executeTakeFirst();
  return row && { item: row.subject, isOriginal: isOriginal(row) };
}

/** The file in a home that an item's original became, or is becoming; undefined while it has not ended. */
export async function readOriginal(rows: Rows, item: string): Promise<Publication | undefined> {
  const row = await rows
    .selectFrom('publications')
    .selectAll()
    .where('account_reg_no', '=', (e) => e.selectFrom('items').select('items.account_reg_no').where('items.item', '=', item))
    .where('subject', '=', item)
    .where('folder', 'in', ['accepted', 'refused'])
    .where('stage', '!=', SUGGESTED)
    .orderBy('publication', 'desc')
    .executeTakeFirst();
  return row && publicationOf(row);
}

/** The original of an item is owed to its home, once more if need be; false when nothing was ever owed for the item. */
export async function oweOriginal(rows: Rows, item: string, staged: string): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('publications')
    .set({ written_at: null })
    .where('account_reg_no', '=', (e) => e.selectFrom('items').select('items.account_reg_no').where('items.item', '=', item))
    .where('subject', '=', item)
    .where('staged', '=', staged)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What is owed to a home for an item. */
export async function readOwedOf(rows: Rows, item: string): Promise<number[]> {
  const found = await rows
    .selectFrom('publications')
    .select('publication')
    .where('written_at', 'is', null)
    .where('subject', '=', item)
    .execute();
  return found.map((row) => row.publication);
}

/** Publications that one statement marks: a list of one length is prepared once. */
const MARKED_TOGETHER = 32;

const written = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('publications')
    .set({ written_at: slot<number>('at') })
    .where(
      'publication',
      'in',
      Array.from({ length: MARKED_TOGETHER }, (_, place) => slot<number>(`publication ${place}`)),
    ),
);

export async function markWritten(rows: Rows, publications: readonly number[], at: number): Promise<void> {
  const lists = inGroups(publications, MARKED_TOGETHER).map((some) => {
    // The last one stands in the places that are left.
    const listed = Array.from({ length: MARKED_TOGETHER }, (_, place) => [`publication ${place}`, some[place] ?? some.at(-1) ?? 0]);
    return written(rows, { at, ...Object.fromEntries(listed) });
  });
  await pipelined(...lists);
}
