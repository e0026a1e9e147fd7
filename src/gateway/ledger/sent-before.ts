// What the service accepted by items that are not kept any more: digests, so that a file which is dropped again is still known, and nothing else is.
import { hash } from 'node:crypto';
import { prepared } from '#engines/prepared.ts';
import type { AcceptedVersion, ItemHead } from '#gateway/model/item.ts';
import type { Rows } from './schema.ts';

/** By which a document of an account is known when its item is gone. */
export function documentDigest(
  accountRegNo: string,
  { family, documentId, receiver }: { family: string; documentId: string; receiver: string },
): string {
  return hash('sha256', [accountRegNo, family, documentId, receiver].join('\n'), 'base64url');
}

const latestBefore = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('sent_before')
    .select(['item', 'sha256', 'integration_id', 'status'])
    .where('document', '=', slot<string>('document'))
    .orderBy('item', 'desc')
    .limit(1),
);

export async function readLatestBefore(rows: Rows, accountRegNo: string, head: ItemHead): Promise<AcceptedVersion | undefined> {
  const [row] = await latestBefore(rows, { document: documentDigest(accountRegNo, head) });
  return row && { item: row.item, sha256: row.sha256, integrationId: row.integration_id, status: row.status };
}

/** Whether this very content was accepted as some version of the document. */
export async function wasSentBefore(rows: Rows, accountRegNo: string, head: ItemHead, sha256: string): Promise<boolean> {
  const found = rows.selectFrom('sent_before').select('item').where('document', '=', documentDigest(accountRegNo, head));
  return (await found.where('sha256', '=', sha256).limit(1).executeTakeFirst()) !== undefined;
}
