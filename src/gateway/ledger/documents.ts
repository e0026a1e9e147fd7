// Documents that the service holds for an account, as far as they have been met; and how far each sweep came.
import type { FamilyName } from '#domain/family.ts';
import type { Rows } from './schema.ts';

/** One family of one account: what a sweep is about. */
export interface Feed {
  readonly accountRegNo: string;
  readonly family: FamilyName;
}

/** A feed as one word, which is also what the bell carries for it: `ACCOUNT FAMILY`. */
export function feedId({ accountRegNo, family }: Feed): string {
  return `${accountRegNo} ${family}`;
}

export interface KnownDocument {
  readonly sequence: number;
  readonly integrationId: string;
  readonly version: number;
  readonly contentSha256: string | null;
  readonly listSha256: string | null;
  readonly state: 'seen' | 'published';
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
  return new Map(
    found.map((row) => [
      row.integration_id,
      {
        sequence: row.sequence,
        integrationId: row.integration_id,
        version: row.version,
        contentSha256: row.content_sha256,
        listSha256: row.list_sha256,
        state: row.state,
      },
    ]),
  );
}

/** Met before the account's first start: known, but not published. */
export async function insertSeen(rows: Rows, { accountRegNo, family }: Feed, integrationId: string, listSha256: string): Promise<void> {
  await rows
    .insertInto('documents')
    .values({
      account_reg_no: accountRegNo,
      family,
      integration_id: integrationId,
      version: 0,
      content_sha256: null,
      list_sha256: listSha256,
      state: 'seen',
      marked_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export interface Version {
  readonly integrationId: string;
  readonly version: number;
  readonly contentSha256: string;
  readonly listSha256: string | null;
}

/** A version is owed to the outbox; it must be marked read (again) when it is there. */
export async function putVersion(rows: Rows, { accountRegNo, family }: Feed, version: Version): Promise<void> {
  const values = {
    version: version.version,
    content_sha256: version.contentSha256,
    list_sha256: version.listSha256,
    state: 'published' as const,
    marked_at: null,
  };
  await rows
    .insertInto('documents')
    .values({ account_reg_no: accountRegNo, family, integration_id: version.integrationId, ...values })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'integration_id']).doUpdateSet(values))
    .execute();
}

/** The content has not changed, only the way in which the list shows it. */
export async function setListDigest(rows: Rows, accountRegNo: string, integrationId: string, listSha256: string): Promise<void> {
  await rows
    .updateTable('documents')
    .set({ list_sha256: listSha256 })
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', '=', integrationId)
    .execute();
}

export async function readSeen(rows: Rows, { accountRegNo, family }: Feed): Promise<string[]> {
  const found = await rows
    .selectFrom('documents')
    .select('integration_id')
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('state', '=', 'seen')
    .orderBy('sequence', 'desc')
    .execute();
  return found.map((row) => row.integration_id);
}

/** Published, and not marked read at the service yet. */
export async function readUnmarked(rows: Rows, { accountRegNo, family }: Feed, limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('documents')
    .select('integration_id')
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('state', '=', 'published')
    .where('marked_at', 'is', null)
    .limit(limit)
    .execute();
  return found.map((row) => row.integration_id);
}

export async function setMarked(rows: Rows, accountRegNo: string, integrationIds: readonly string[], at: number): Promise<void> {
  if (integrationIds.length === 0) return;
  await rows
    .updateTable('documents')
    .set({ marked_at: at })
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', 'in', integrationIds)
    .execute();
}
