// Documents of the service that could not be put into an outbox so far, or not as they are now: since when, how often it was tried, and why.
import type { Selectable } from 'kysely';
import { isFamilyName } from '#domain/family.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Rows, Tables } from './schema.ts';

interface Quarantined extends Feed {
  readonly integrationId: string;
  readonly since: number;
  readonly tries: number;
  readonly triedAt: number;
  readonly reason: string;
}

/** One more try has failed. Returns what is known of it now. */
export async function noteQuarantined(
  rows: Rows,
  { accountRegNo, family }: Feed,
  integrationId: string,
  reason: string,
  nowMs: number,
): Promise<Pick<Quarantined, 'since' | 'tries'>> {
  const first = { account_reg_no: accountRegNo, family, integration_id: integrationId, since: nowMs, tries: 1, tried_at: nowMs, reason };
  return rows
    .insertInto('stuck')
    .values(first)
    .onConflict((conflict) =>
      conflict.columns(['account_reg_no', 'integration_id']).doUpdateSet((e) => ({
        tries: e('stuck.tries', '+', 1),
        tried_at: nowMs,
        reason,
        // A clock that was set back must not make it wait until that time has come again.
        since: e.case().when('stuck.since', '>', nowMs).then(nowMs).else(e.ref('stuck.since')).end(),
      })),
    )
    .returning(['since', 'tries'])
    .executeTakeFirstOrThrow();
}

const unlessNoted = preparedChange((rows: Rows, slot) =>
  rows
    .insertInto('stuck')
    .values({
      account_reg_no: slot<string>('accountRegNo'),
      family: slot<string>('family'),
      integration_id: slot<string>('integrationId'),
      since: slot<number>('nowMs'),
      tries: 0,
      tried_at: slot<number>('nowMs'),
      reason: 'it is being fetched again',
    })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'integration_id']).doNothing()),
);

/** A later version of a published document may be on its way: if it does not arrive, it is tried again. */
export async function noteFetching(rows: Rows, { accountRegNo, family }: Feed, integrationId: string, nowMs: number): Promise<void> {
  await unlessNoted(rows, { accountRegNo, family, integrationId, nowMs });
}

const deleteOne = preparedChange((rows: Rows, slot) =>
  rows
    .deleteFrom('stuck')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('integration_id', '=', slot<string>('integrationId')),
);

/** It is published now. */
export async function deleteQuarantined(rows: Rows, accountRegNo: string, integrationId: string): Promise<void> {
  await deleteOne(rows, { accountRegNo, integrationId });
}

/** The service has it no more. Should it ever be listed again, it is a new one, or a new version of what was published. */
export async function forgetQuarantined(rows: Rows, accountRegNo: string, integrationId: string): Promise<void> {
  await deleteQuarantined(rows, accountRegNo, integrationId);
  await rows
    .deleteFrom('documents')
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'stuck')
    .execute();
  await rows
    .updateTable('documents')
    .set({ list_sha256: null })
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', '=', integrationId)
    .execute();
}

const quarantinedOfFeed = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('stuck')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .orderBy('tried_at')
    .orderBy('integration_id'),
);

/** Those of a feed, the longest untried first. */
export async function readQuarantinedOf(rows: Rows, { accountRegNo, family }: Feed): Promise<Quarantined[]> {
  return (await quarantinedOfFeed(rows, { accountRegNo, family })).flatMap(toQuarantined);
}

/** Those of an account, or of all, in the same order. */
export async function readQuarantined(rows: Rows, accountRegNo?: string): Promise<Quarantined[]> {
  const all = rows.selectFrom('stuck').selectAll().orderBy('tried_at').orderBy('integration_id');
  const found = await (accountRegNo === undefined ? all : all.where('account_reg_no', '=', accountRegNo)).execute();
  return found.flatMap(toQuarantined);
}

function toQuarantined({
  account_reg_no,
  family,
  integration_id,
  since,
  tries,
  tried_at,
  reason,
}: Selectable<Tables['stuck']>): Quarantined[] {
  return isFamilyName(family)
    ? [{ accountRegNo: account_reg_no, family, integrationId: integration_id, since, tries, triedAt: tried_at, reason }]
    : [];
}
