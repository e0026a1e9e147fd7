// What became of a transaction whose COMMIT was not answered.
import type { Clock } from '#runtime/clock.ts';
import { codeOf } from './failures.ts';
import type { Sessions } from './sessions.ts';
import type { Transaction } from './transaction.ts';

/** Between two questions, while the database is away or the transaction not yet ended. */
const PAUSE_MS = 250;

/** That transaction has not begun yet: what the server had begun before a crash, it begins anew under the same ids. */
const INVALID_PARAMETER = '22023';

type Fate = 'committed' | 'aborted' | 'unknown';

/**
 * Asks until PostgreSQL says it: while it is away, nobody knows. `unknown` where it cannot say it any more: the server is a copy that went on by
 * itself, it has crashed and may have given the id to another transaction, or the transaction is too long ago.
 */
export async function fateOf<Tables>(sessions: Sessions<Tables>, transaction: Transaction, clock: Clock): Promise<Fate> {
  for (;;) {
    const answer = await ask(sessions, transaction).catch((error: unknown) => (codeOf(error) === INVALID_PARAMETER ? 'aborted' : 'later'));
    if (answer !== 'later') return answer;
    await new Promise<void>((wake) => clock.after(PAUSE_MS, wake));
  }
}

async function ask<Tables>(sessions: Sessions<Tables>, { id, at }: Transaction): Promise<Fate | 'later'> {
  const session = await sessions.take();
  try {
    if (session.at.server !== at.server) return 'unknown';
    const [answer] = await session.say(`select pg_xact_status('${id}'::xid8) as status`);
    const status = answer?.rows[0]?.status;
    if (status === 'in progress') return 'later';
    if (status === 'aborted') return status;
    return status === 'committed' && session.at.life === at.life ? status : 'unknown';
  } finally {
    sessions.giveBack(session);
  }
}
