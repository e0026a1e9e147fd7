// The circuit of each account and family in the ledger: closed, or open. A refusal of more than one document opens it for a time, a *pause*, for the
// family or for the whole account. Attempts that tell nothing open it until the service answers: the *silence* says for how long in sum.
import type { RawBuilder } from 'kysely';
import { prepared } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { among, ofAccountAmong } from './homes.ts';
import type { Rows } from './schema.ts';

interface Pause {
  readonly until: number;
  /** The whole account pauses. */
  readonly whole: boolean;
}

/** A pause that lasts. */
export interface Pausing {
  readonly accountRegNo: string;
  /** Null is the whole account. */
  readonly family: string | null;
  readonly since: number;
  readonly until: number;
  readonly reason: string;
}

const WHOLE = '';
/** Why an item waits that was not tried because of a pause. */
export const PAUSED = 'the service refuses more than this document; see the log';

/** Those that last, the one that began first in front. */
const lasting = (rows: Rows, now: RawBuilder<number>) =>
  rows
    .selectFrom('pauses')
    .select(['account_reg_no as accountRegNo', 'family', 'since', 'until', 'reason'])
    .where('until', '>', now)
    .orderBy('since')
    .orderBy('account_reg_no')
    .orderBy('family');
const pausesOfAll = prepared((rows: Rows, slot) => lasting(rows, slot<number>('now')));
const pausesOfAccount = prepared((rows: Rows, slot) =>
  lasting(rows, slot<number>('now')).where('account_reg_no', '=', slot<string>('accountRegNo')),
);

/** Of one account, or of all. */
export async function readPausing(rows: Rows, now: number, accountRegNo?: string): Promise<Pausing[]> {
  const found = await (accountRegNo === undefined ? pausesOfAll(rows, { now }) : pausesOfAccount(rows, { now, accountRegNo }));
  return found.map((row) => ({ ...row, family: row.family === WHOLE ? null : row.family }));
}

/** The longest pause that the account or the family is in; undefined when there is none. */
export async function readPause(rows: Rows, accountRegNo: string, family: string, now: number): Promise<Pause | undefined> {
  const pausing = (await readPausing(rows, now, accountRegNo)).filter((each) => each.family === null || each.family === family);
  const longest = pausing.sort((a, b) => b.until - a.until)[0];
  return longest && { until: longest.until, whole: longest.family === null };
}

/** `family` null pauses the whole account. Returns whether it begins only now. */
export async function putPause(
  rows: Rows,
  accountRegNo: string,
  family: string | null,
  { now, until, reason }: { readonly now: number; readonly until: number; readonly reason: string },
): Promise<boolean> {
  const named = family ?? WHOLE;
  const before = await readPause(rows, accountRegNo, named, now);
  await rows
    .insertInto('pauses')
    .values({ account_reg_no: accountRegNo, family: named, since: now, until, reason })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet({ since: now, until, reason }))
    .execute();
  return before === undefined;
}

/**
 * These accounts have another key: nothing of them waits any more because the one before was refused. Pauses of single families stay.
 */
export async function endPausesOfAccounts(rows: Rows, accountRegNos: readonly string[]): Promise<void> {
  for (const accountRegNo of accountRegNos) {
    const pause = rows.deleteFrom('pauses').where('account_reg_no', '=', accountRegNo).where('family', '=', WHOLE);
    if ((await pause.executeTakeFirst()).numDeletedRows === 0n) continue;
    await rows
      .updateTable('items')
      .set({ next_attempt_at: 0 })
      .where('account_reg_no', '=', accountRegNo)
      .where('state', '=', 'pending')
      .where((e) =>
        e.or([e('reason', '=', PAUSED), e('item', 'in', e.selectFrom('attempts').select('item').where('outcome', '=', 'paused'))]),
      )
      .execute();
  }
}

/** The clock was put back: a pause that has not begun is over. */
export async function endPausesBegunAfter(rows: Rows, homes: Homes, now: number): Promise<void> {
  await rows.deleteFrom('pauses').where('since', '>', now).where(ofAccountAmong(homes)).execute();
}

interface SilentAttempt {
  readonly item: string;
  readonly number: number;
  readonly accountRegNo: string;
  readonly family: string;
  readonly now: number;
  /** No more than this counts since the one before. */
  readonly gapMsMax: number;
}

/** One more attempt from which nothing was learnt. Returns what the silence has come to. */
export async function prolongSilence(rows: Rows, { item, number, accountRegNo, family, now, gapMsMax }: SilentAttempt): Promise<number> {
  const before = await rows
    .selectFrom('silences')
    .select(['lasts_ms', 'at'])
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .executeTakeFirst();
  const gap = Math.min(Math.max(now - (before?.at ?? now), 0), gapMsMax);
  const lastsMs = (before?.lasts_ms ?? 0) + gap;
  await rows
    .insertInto('silences')
    .values({ account_reg_no: accountRegNo, family, lasts_ms: lastsMs, at: now })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet({ lasts_ms: lastsMs, at: now }))
    .execute();
  await rows.updateTable('attempts').set({ silence_ms: lastsMs }).where('item', '=', item).where('number', '=', number).execute();
  return lastsMs;
}

/** These homes are taken up: what waits since an attempt from which nothing was learnt is tried at once, for a start is often the end of the trouble. */
export async function endSilentWaits(rows: Rows, homes: Homes): Promise<void> {
  await rows
    .updateTable('items')
    .set({ next_attempt_at: 0 })
    .where('state', '=', 'pending')
    .where('next_attempt_at', '>', 0)
    .where(among(homes))
    .where((e) => {
      const last = e.selectFrom('attempts').select('silence_ms').whereRef('attempts.item', '=', 'items.item');
      return e(last.orderBy('number', 'desc').limit(1), 'is not', null);
    })
    .execute();
}
