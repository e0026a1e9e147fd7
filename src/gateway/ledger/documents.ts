// Documents that the service holds for an account, as far as they have been met; and how far each sweep came.
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { DocumentHead } from '#domain/document.ts';
import { pipelined } from '#engines/pipelined.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Rows, Tables } from './schema.ts';
import { type DocumentState, ROUND_FIRST } from './tables/receiving.ts';

export interface KnownDocument {
  readonly sequence: number;
  readonly family: string;
  readonly integrationId: string;
  readonly version: number;
  /** The digest of its content; null as long as none was published. */
  readonly content: string | null;
  readonly listSha256: string | null;
  readonly state: DocumentState;
  readonly movedIn: number;
}

const documentById = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('documents')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('integration_id', '=', slot<string>('integrationId')),
);

/** What is known of one document. */
export async function readDocument(rows: Rows, accountRegNo: string, integrationId: string): Promise<KnownDocument | undefined> {
  const [row] = await documentById(rows, { accountRegNo, integrationId });
  return row && knownOf(row);
}

/** What is known of these documents, by integrationId. */
export async function readDocuments(
  rows: Rows,
  accountRegNo: string,
  integrationIds: readonly string[],
): Promise<Map<string, KnownDocument>> {
  if (integrationIds.length === 0) return new Map();
  const found = await rows
    .selectFrom('documents')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', 'in', integrationIds)
    .execute();
  return new Map(found.map((row) => [row.integration_id, knownOf(row)]));
}

function knownOf(row: Selectable<Tables['documents']>): KnownDocument {
  return {
    sequence: row.sequence,
    family: row.family,
    integrationId: row.integration_id,
    version: row.version,
    content: row.content_sha256,
    listSha256: row.list_sha256,
    state: row.state,
    movedIn: row.moved_in,
  };
}

export interface Met {
  readonly integrationId: string;
  readonly listSha256: string;
}

/** Met, but not published; what is known already stays as it is, but for the digest of a document that was only seen. */
export async function insertMet(rows: Rows, { accountRegNo, family }: Feed, met: readonly Met[], state: 'seen' | 'stuck'): Promise<void> {
  for (const { integrationId, listSha256 } of met) {
    await rows
      .insertInto('documents')
      .values({
        account_reg_no: accountRegNo,
        family,
        integration_id: integrationId,
        version: 0,
        content_sha256: null,
        list_sha256: listSha256,
        state,
        marked_at: null,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_reg_no', 'integration_id'])
          .doUpdateSet({ list_sha256: listSha256 })
          .where('documents.state', '=', 'seen'),
      )
      .execute();
  }
}

/** Of what was seen, these are not known to have been read. */
export async function setUnread(rows: Rows, accountRegNo: string, integrationIds: readonly string[]): Promise<void> {
  if (integrationIds.length === 0) return;
  await rows
    .updateTable('documents')
    .set({ state: 'unread' })
    .where('account_reg_no', '=', accountRegNo)
    .where('state', '=', 'seen')
    .where('integration_id', 'in', integrationIds)
    .execute();
}

/** It is not known which have been read. */
export async function setAllUnread(rows: Rows, { accountRegNo, family }: Feed): Promise<void> {
  await rows
    .updateTable('documents')
    .set({ state: 'unread' })
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('state', '=', 'seen')
    .execute();
}

interface Version {
  readonly integrationId: string;
  /** It has a row, which is replaced. */
  readonly isKnown: boolean;
  readonly version: number;
  readonly content: string;
  readonly listSha256: string | null;
  readonly receivedAt: number;
  /** Null where it cannot be read. */
  readonly head: Pick<DocumentHead, 'documentId' | 'sender' | 'receiver'> | null;
}

const deleteDocument = preparedChange((rows: Rows, slot) =>
  rows
    .deleteFrom('documents')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('integration_id', '=', slot<string>('integrationId')),
);

const newVersion = preparedChange((rows: Rows, slot) => {
  const values = {
    version: slot<number>('version'),
    content_sha256: slot<string>('content'),
    list_sha256: slot<string | null>('listSha256'),
    state: 'published' as const,
    marked_at: null,
    received_at: slot<number>('receivedAt'),
    document_id: slot<string | null>('documentId'),
    sender: slot<string | null>('sender'),
    receiver: slot<string | null>('receiver'),
  };
  return rows
    .insertInto('documents')
    .values({
      account_reg_no: slot<string>('accountRegNo'),
      family: slot<string>('family'),
      integration_id: slot<string>('integrationId'),
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'integration_id']).doUpdateSet(values));
});

/**
 * A version is owed to the outbox; it must be marked read (again) when it is there. It gets a sequence of its own, also where it was
 * met before: what was changed after a sweep was completed was not known to it as it is.
 */
export async function putVersion(rows: Rows, { accountRegNo, family }: Feed, version: Version): Promise<void> {
  const { isKnown, head, ...values } = version;
  const { documentId = null, sender = null, receiver = null } = head ?? {};
  await pipelined(
    isKnown ? deleteDocument(rows, { accountRegNo, integrationId: version.integrationId }) : undefined,
    newVersion(rows, { accountRegNo, family, ...values, documentId, sender, receiver }),
  );
}

/** The round of the feed of a document that is updated: what befalls it now, the sweep that completes this round will have met. */
function roundNow(e: ExpressionBuilder<Tables, 'documents'>) {
  const round = e
    .selectFrom('sweeps')
    .select('sweeps.round')
    .whereRef('sweeps.account_reg_no', '=', 'documents.account_reg_no')
    .whereRef('sweeps.family', '=', 'documents.family');
  return e.fn.coalesce(round, e.lit(ROUND_FIRST));
}

/** The content has not changed, only the way in which the list shows it, and perhaps where. */
export async function setListDigest(rows: Rows, accountRegNo: string, integrationId: string, listSha256: string): Promise<void> {
  await rows
    .updateTable('documents')
    .set((e) => ({ list_sha256: listSha256, moved_in: roundNow(e) }))
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', '=', integrationId)
    .execute();
}

/** Those of a feed that are in this state, in the order in which they were met. */
export async function readInState(rows: Rows, { accountRegNo, family }: Feed, state: DocumentState): Promise<Met[]> {
  const found = await rows
    .selectFrom('documents')
    .select(['integration_id', 'list_sha256'])
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('state', '=', state)
    .orderBy('sequence')
    .execute();
  return found.map((row) => ({ integrationId: row.integration_id, listSha256: row.list_sha256 ?? '' }));
}

/** Marked at a time: documents that come meanwhile wait for no more. */
export const UNMARKED_MAX = 200;

const unmarkedOfFeed = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('documents')
    .select('integration_id')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .where('state', '=', 'published')
    .where('marked_at', 'is', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('stuck')
            .select('stuck.integration_id')
            .whereRef('stuck.account_reg_no', '=', 'documents.account_reg_no')
            .whereRef('stuck.integration_id', '=', 'documents.integration_id'),
        ),
      ),
    )
    .limit(UNMARKED_MAX),
);

/**
 * Published, and not marked read at the service yet: `UNMARKED_MAX` at the most. A mark names a document and not a version, so one of which a
 * later version may be on its way is not among them before that is published, too.
 */
export async function readUnmarked(rows: Rows, { accountRegNo, family }: Feed): Promise<string[]> {
  const found = await unmarkedOfFeed(rows, { accountRegNo, family });
  return found.map((row) => row.integration_id);
}

/** What was marked since then is to be marked once more: the service has forgotten it. */
export async function forgetMarks(rows: Rows, sinceMs: number, accountRegNo: string | undefined): Promise<void> {
  const marks = rows.updateTable('documents').set({ marked_at: null }).where('marked_at', '>=', sinceMs).where('state', '=', 'published');
  await (accountRegNo === undefined ? marks : marks.where('account_reg_no', '=', accountRegNo)).execute();
}

const marked = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('documents')
    .set((e) => ({ marked_at: slot<number>('at'), moved_in: roundNow(e) }))
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('integration_id', '=', slot<string>('integrationId')),
);

/** Services may list first what was changed last, and take a mark for a change. */
export async function setMarked(rows: Rows, accountRegNo: string, integrationIds: readonly string[], at: number): Promise<void> {
  await pipelined(...integrationIds.map((integrationId) => marked(rows, { accountRegNo, integrationId, at })));
}

/** They may be marked, or marked no more, which is not known. */
export async function noteMoved(rows: Rows, accountRegNo: string, integrationIds: readonly string[]): Promise<void> {
  if (integrationIds.length === 0) return;
  await rows
    .updateTable('documents')
    .set((e) => ({ moved_in: roundNow(e) }))
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', 'in', integrationIds)
    .execute();
}
