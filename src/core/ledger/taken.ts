// Documents whose messages are not kept any more: digests, by which their numbers stay taken, and what a replacement goes on from.
import { hash } from 'node:crypto';
import type { Direction } from '#domain/account.ts';
import type { DocumentHead } from '#domain/document.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { MessageRow } from './messages.ts';
import type { Rows } from './schema.ts';

export interface Taken {
  /** Its key. */
  readonly document: string;
  readonly integrationId: string;
  readonly version: number;
  /** Of the content of that version. */
  readonly sha256: string;
  /** The digest of the account that it came from; null for the network. */
  readonly origin: string | null;
}

type Identity = Pick<MessageRow, 'account_reg_no' | 'direction' | 'family' | 'document_id' | 'receiver' | 'counterparty'>;

/** What makes a message the only one of its document, as messages_once has it. */
export function identityDigest({ account_reg_no, direction, family, document_id, receiver, counterparty }: Identity): string {
  return hash('sha256', [account_reg_no, direction, family, document_id, receiver, counterparty].join('\n'), 'base64url');
}

export function originDigest(origin: string | null): string | null {
  return origin === null ? null : hash('sha256', `origin\n${origin}`, 'base64url');
}

const takenDocument = prepared((rows: Rows, slot) => rows.selectFrom('taken').selectAll().where('document', '=', slot<string>('document')));

export async function findTaken(rows: Rows, accountRegNo: string, direction: Direction, head: DocumentHead): Promise<Taken | undefined> {
  const { family, documentId: document_id, sender, receiver } = head;
  const counterparty = direction === 'incoming' ? sender : '';
  const [row] = await takenDocument(rows, {
    document: identityDigest({ account_reg_no: accountRegNo, direction, family, document_id, receiver, counterparty }),
  });
  return row && { document: row.document, integrationId: row.integration_id, version: row.version, sha256: row.sha256, origin: row.origin };
}

export async function insertTaken(rows: Rows, taken: readonly Taken[]): Promise<void> {
  const values = taken.map(({ integrationId, ...row }) => ({ ...row, integration_id: integrationId }));
  if (values.length > 0) await rows.insertInto('taken').values(values).execute();
}

const untake = preparedChange((rows: Rows, slot) => rows.deleteFrom('taken').where('document', '=', slot<string>('document')));

/** It is a message again. */
export async function deleteTaken(rows: Rows, { document }: Taken): Promise<void> {
  await untake(rows, { document });
}
