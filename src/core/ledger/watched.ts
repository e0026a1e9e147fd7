// Rows about participants of accounts: when each is looked up on the network, and the differences that were found.
import { sql } from 'kysely';
import type { Rows } from './schema.ts';

/** Adds new participants to those that are looked up, so many at the most, and forgets those that belong to no account any more. */
export async function enrolParticipants(rows: Rows, firstLookAt: (participant: string) => number, limit: number): Promise<void> {
  const known = rows.selectFrom('participants').select('participant');
  await rows.deleteFrom('differences').where('participant', 'not in', known).execute();
  await rows.deleteFrom('watched').where('participant', 'not in', known).execute();
  const found = await known.where('participant', 'not in', rows.selectFrom('watched').select('participant')).limit(limit).execute();
  if (found.length === 0) return;
  await rows
    .insertInto('watched')
    .values(found.map(({ participant }) => ({ participant, next_look_at: firstLookAt(participant), failures: 0 })))
    .execute();
}

export interface Watched {
  readonly participant: string;
  readonly accountRegNo: string;
  /** Of the access point, when it was looked up first. */
  readonly firstAddress: string | null;
  readonly failures: number;
  readonly failingSince: number | null;
}

const watchedOf = (rows: Rows) =>
  rows
    .selectFrom('participants')
    .leftJoin('watched', 'watched.participant', 'participants.participant')
    .select((row) => [
      'participants.participant',
      'participants.account_reg_no as accountRegNo',
      'watched.address as firstAddress',
      row.fn.coalesce('watched.failures', sql.lit(0)).as('failures'),
      'watched.failing_since as failingSince',
    ]);

/** The longest due first. */
export async function selectDueWatched(rows: Rows, nowMs: number, limit: number): Promise<Watched[]> {
  return watchedOf(rows).where('watched.next_look_at', '<=', nowMs).orderBy('watched.next_look_at').limit(limit).execute();
}

interface Claim {
  /** When it was found due: whoever has looked it up since has moved its time. */
  readonly dueAt: number;
  /** When it is due again, unless its look-up says otherwise. */
  readonly heldUntil: number;
}

/** Begins a look-up; false when another core has begun it, or has ended it. */
export async function claimWatched(rows: Rows, participant: string, { dueAt, heldUntil }: Claim): Promise<boolean> {
  const due = rows.updateTable('watched').where('participant', '=', participant).where('next_look_at', '<=', dueAt);
  const { numUpdatedRows } = await due.set({ next_look_at: heldUntil }).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Of one account, or of all. */
export async function selectWatched(rows: Rows, accountRegNo: string | null, limit: number): Promise<Watched[]> {
  const all = watchedOf(rows).orderBy('participants.participant').limit(limit);
  return (accountRegNo === null ? all : all.where('account_reg_no', '=', accountRegNo)).execute();
}

/** The result of a look-up; columns that it leaves out stay as they were. */
interface LookResult {
  readonly nextLookAt: number;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly reason: string | null;
  readonly lookedUpAt?: number;
  readonly address?: string | null;
  readonly certificateEndsAt?: number | null;
}

/** Keeps the result of a look-up; of the address only the first. */
export async function recordLook(rows: Rows, participant: string, result: LookResult): Promise<void> {
  const { nextLookAt, failures, failingSince, reason, lookedUpAt, address, certificateEndsAt } = result;
  const columns = {
    next_look_at: nextLookAt,
    failures,
    failing_since: failingSince,
    last_reason: reason,
    ...(lookedUpAt !== undefined && { looked_up_at: lookedUpAt }),
    ...(certificateEndsAt !== undefined && { certificate_ends_at: certificateEndsAt }),
  };
  await rows
    .insertInto('watched')
    .values({ participant, address: address ?? null, ...columns })
    .onConflict((conflict) =>
      conflict.column('participant').doUpdateSet({ ...columns, address: sql`coalesce(watched.address, excluded.address)` }),
    )
    .execute();
}

export interface KeptDifference {
  readonly what: string;
  readonly detail: string;
}

/** Keeps differences; a known one keeps the time since when it exists. */
export async function insertDifferences(
  rows: Rows,
  participant: string,
  differences: readonly KeptDifference[],
  nowMs: number,
): Promise<void> {
  if (differences.length === 0) return;
  await rows
    .insertInto('differences')
    .values(differences.map(({ what, detail }) => ({ participant, what, detail, since: nowMs })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Forgets differences that have ended, and returns them. */
export async function endDifferences(rows: Rows, participant: string, remaining: readonly KeptDifference[]): Promise<KeptDifference[]> {
  const kept = await rows.selectFrom('differences').select(['what', 'detail']).where('participant', '=', participant).execute();
  const ended = kept.filter(({ what, detail }) => !remaining.some((each) => each.what === what && each.detail === detail));
  for (const { what, detail } of ended) {
    const row = rows.deleteFrom('differences').where('participant', '=', participant).where('what', '=', what);
    await row.where('detail', '=', detail).execute();
  }
  return ended;
}

/** A participant, with one difference or with none. */
export interface Checked {
  readonly participant: string;
  readonly accountRegNo: string;
  /** Null when nothing differs, as far as is known. */
  readonly what: string | null;
  readonly detail: string | null;
  readonly since: number | null;
  /** Null when no look-up was answered yet. */
  readonly lookedUpAt: number | null;
  readonly nextLookAt: number | null;
  readonly certificateEndsAt: number | null;
  /** Why the last look-up had no answer. */
  readonly reason: string | null;
}

interface CheckedSearch {
  readonly accountRegNo: string | null;
  /** The last one that was told: only those behind it. */
  readonly behind?: Pick<Checked, 'participant' | 'what' | 'detail'> | undefined;
  readonly limit: number;
}

/** Those that differ first. */
export async function selectChecked(rows: Rows, search: CheckedSearch): Promise<Checked[]> {
  const differing = search.behind?.what === null ? [] : await selectDiffering(rows, search);
  const limit = search.limit - differing.length;
  return limit === 0 ? differing : [...differing, ...(await selectAgreeing(rows, { ...search, limit }))];
}

/** In the order of their participants, with each difference. */
export async function selectDiffering(rows: Rows, { accountRegNo, behind, limit }: CheckedSearch): Promise<Checked[]> {
  let all = checkedOf(rows)
    .innerJoin('differences', 'differences.participant', 'participants.participant')
    .select(['differences.what', 'differences.detail', 'differences.since'])
    .orderBy('differences.participant')
    .orderBy('differences.what')
    .orderBy('differences.detail')
    .limit(limit);
  if (accountRegNo !== null) all = all.where('participants.account_reg_no', '=', accountRegNo);
  if (!behind) return all.execute();
  return all
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('differences.participant', 'differences.what', 'differences.detail'),
        '>',
        tuple(behind.participant, behind.what ?? '', behind.detail ?? ''),
      ),
    )
    .execute();
}

/** In the order of their participants. */
async function selectAgreeing(rows: Rows, { accountRegNo, behind, limit }: CheckedSearch): Promise<Checked[]> {
  let all = checkedOf(rows)
    .select([sql<null>`null`.as('what'), sql<null>`null`.as('detail'), sql<null>`null`.as('since')])
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(selectFrom('differences').select('differences.what').whereRef('differences.participant', '=', 'participants.participant')),
      ),
    )
    .orderBy('participants.participant')
    .limit(limit);
  if (accountRegNo !== null) all = all.where('participants.account_reg_no', '=', accountRegNo);
  return (behind?.what === null ? all.where('participants.participant', '>', behind.participant) : all).execute();
}

const checkedOf = (rows: Rows) =>
  rows
    .selectFrom('participants')
    .leftJoin('watched', 'watched.participant', 'participants.participant')
    .select([
      'participants.participant',
      'participants.account_reg_no as accountRegNo',
      'watched.looked_up_at as lookedUpAt',
      'watched.next_look_at as nextLookAt',
      'watched.certificate_ends_at as certificateEndsAt',
      'watched.last_reason as reason',
    ]);
