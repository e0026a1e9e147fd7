// By which name receipts report an item.
import { prepared } from '#engines/prepared.ts';
import type { Rows } from './schema.ts';

const itemName = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select((e) => [
      'file_name',
      e
        .exists(
          e
            .selectFrom('publications')
            .select('publication')
            // In a home of several accounts the first ones may stand under the home's own name.
            .where((p) => p('publications.account_reg_no', 'in', [p.ref('items.account_reg_no'), p.ref('items.home')]))
            .whereRef('publications.subject', '=', 'items.item')
            .where('publications.folder', '=', 'receipts'),
        )
        .as('is_reported'),
    ])
    .where('item', '=', slot<string>('item')),
);

/** The name that the client gave a pending item afterwards; false when it has ended, or a receipt has reported it by the name that it has. */
export async function renameItem(rows: Rows, item: string, fileName: string): Promise<boolean> {
  const [row] = await itemName(rows, { item });
  if (!row || row.is_reported) return false;
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({ file_name: fileName })
    .where('item', '=', item)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The name by which all receipts of an item report it: to be asked in the commit of each, with the name that it would use. */
export async function nameReported(rows: Rows, item: string, fileName: string): Promise<string> {
  const [row] = await itemName(rows, { item });
  if (!row || row.file_name === fileName) return fileName;
  if (row.is_reported) return row.file_name;
  await rows.updateTable('items').set({ file_name: fileName }).where('item', '=', item).execute();
  return fileName;
}
