// Which versions of a document the service accepted.
import { pipelined } from '#engines/pipelined.ts';
import { prepared } from '#engines/prepared.ts';
import type { AcceptedVersion, Item, ItemHead } from '#gateway/model/item.ts';
import type { Rows } from './schema.ts';
import { readLatestBefore, wasSentBefore } from './sent-before.ts';

const latestAccepted = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select([
      'item',
      'sha256',
      'integration_id',
      (e) => e.selectFrom('deliveries').select('status').whereRef('deliveries.item', '=', 'items.item').as('status'),
    ])
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .where('document_id', '=', slot<string>('documentId'))
    .where('receiver', '=', slot<string>('receiver'))
    .where('state', '=', 'accepted')
    .where('duplicate_of', 'is', null)
    .orderBy('item', 'desc')
    .limit(1),
);

const acceptedContent = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select('item')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .where('document_id', '=', slot<string>('documentId'))
    .where('receiver', '=', slot<string>('receiver'))
    .where('sha256', '=', slot<string>('sha256'))
    .where('state', '=', 'accepted')
    .limit(1),
);

/** Whether this very content was accepted as some version of the document. */
export async function wasAccepted(
  rows: Rows,
  { accountRegNo, sha256 }: Pick<Item, 'accountRegNo' | 'sha256'>,
  head: ItemHead,
): Promise<boolean> {
  const { family, documentId, receiver } = head;
  const isKept = (await acceptedContent(rows, { accountRegNo, family, documentId, receiver, sha256 })).length > 0;
  return isKept || wasSentBefore(rows, accountRegNo, head, sha256);
}

/** The latest accepted version of a document of this account, also where its item is not kept any more. */
export async function readLatestAccepted(rows: Rows, accountRegNo: string, head: ItemHead): Promise<AcceptedVersion | undefined> {
  const { family, documentId, receiver } = head;
  const [[row], before] = await pipelined(
    latestAccepted(rows, { accountRegNo, family, documentId, receiver }),
    readLatestBefore(rows, accountRegNo, head),
  );
  if (!row || (before && before.item > row.item)) return before;
  return { item: row.item, sha256: row.sha256, integrationId: row.integration_id, status: row.status ?? '' };
}
