// What became of a transaction whose COMMIT was not answered.
import type { Clock } from '#runtime/clock.ts';
import { codeOf } from './failures.ts';
import type { Sessions } from './sessions.ts';
import type { Transaction } from './transaction.ts';

/** Between two questions, while the database is away or the transaction not yet ended. */
const PAUSE_MS = 250;

/** It was asked for a transaction that it has not begun: this server is no continuation of that one. */
const INVALID_PARAMETER = '22023';

/**
 * Asks until PostgreSQL says it: while it is away, nobody knows. `unknown` where it cannot say it any more: the server is a copy that went on by
 * itself, or the transaction is too long ago.
 */
export async function fateOf<Tables>(
  sessions: Sessions<Tables>,
  transaction: Transaction,
  clock: Clock,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (;;) {
    const answer = await ask(sessions, transaction).catch((error: unknown) => (codeOf(error) === INVALID_PARAMETER ? null : 'away'));
    if (answer === 'committed' || answer === 'aborted') return answer;
    if (answer !== 'in progress' && answer !== 'away') return 'unknown';
    await new Promise<void>((wake) => clock.after(PAUSE_MS, wake));
  }
}

/** What `pg_xact_status` says; null where it does not know. */
async function ask<Tables>(sessions: Sessions<Tables>, { id, server }: Transaction): Promise<unknown> {
  const session = await sessions.take();
  try {
    if (session.server !== server) return null;
    const [answer] = await session.say(`select pg_xact_status('${id}'::xid8) as status`);
    return answer?.rows[0]?.status;
  } finally {
    sessions.giveBack(session);
  }
}
