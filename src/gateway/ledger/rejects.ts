// Connections that came to nothing, in the ledger: the last ones, one row for each address and login.
import { reasonsText, withReason } from './reasons.ts';
import type { Rows } from './schema.ts';

const ROWS_MAX = 1_000;

export interface RejectRow {
  readonly address: string;
  /** '' when the client has not named one. */
  readonly login: string;
  /** When it happened last, and how often since it is remembered. */
  readonly atMs: number;
  readonly times: number;
  readonly reason: string;
  readonly client: string;
  /** JSON, or null when the client offered nothing. */
  readonly offer: string | null;
  /** Read from the ledger also those of before, as far as they are remembered. */
  readonly explanation: string;
}

/** Counts them to the row of its address and login, which has each explanation; the rows that are oldest give way. */
export async function keepReject(rows: Rows, reject: RejectRow, rowsMax = ROWS_MAX): Promise<void> {
  const { address, login, times, atMs: at, reason, client, offer } = reject;
  const known = await rows
    .selectFrom('rejects')
    .select('explanation')
    .where('address', '=', address)
    .where('login', '=', login)
    .executeTakeFirst();
  const latest = { at, reason, client, offer, explanation: withReason(known?.explanation ?? null, reject.explanation) };
  await rows
    .insertInto('rejects')
    .values({ address, login, times, ...latest })
    .onConflict((conflict) =>
      conflict.columns(['address', 'login']).doUpdateSet((e) => ({ ...latest, times: e('rejects.times', '+', times) })),
    )
    .execute();
  const beyond = await rows
    .selectFrom('rejects')
    .select(['address', 'login'])
    .orderBy('at', 'desc')
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(rowsMax)
    .execute();
  for (const oldest of beyond) {
    await rows.deleteFrom('rejects').where('address', '=', oldest.address).where('login', '=', oldest.login).execute();
  }
}

/** Those kept, the latest first: one for each address and login. */
export async function readRejects(rows: Rows): Promise<RejectRow[]> {
  const found = await rows.selectFrom('rejects').selectAll().orderBy('at', 'desc').orderBy('address').orderBy('login').execute();
  return found.map(({ at, explanation, ...row }) => ({ ...row, atMs: at, explanation: reasonsText(explanation) }));
}
