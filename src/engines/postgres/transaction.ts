// One transaction: a write is tried once.
import type { Kysely } from 'kysely';
import type { Timed } from '#engines/database.ts';
import { NO_REASON } from '#engines/failures.ts';
import { isRolledBackForOthers, shown } from './failures.ts';
import type { ServerLife, Session, Speech } from './session.ts';

export type Work<Tables, Result> = (rows: Kysely<Tables>) => Promise<Result>;

export type End<Result> =
  | { readonly state: 'committed'; readonly result: Result }
  /** `mayRunAgain`: it was not its own fault. */
  | { readonly state: 'rolled-back'; readonly error: unknown; readonly mayRunAgain: boolean }
  /** The process has lost its name, under which it writes. */
  | { readonly state: 'lost' }
  /** The answer to COMMIT was lost. */
  | { readonly state: 'unknown'; readonly result: Result; readonly transaction: Transaction };

/** By which it can be asked what became of it. */
export interface Transaction {
  readonly id: string;
  readonly at: ServerLife;
}

/** However long it takes: a standby that is waited for would be waited for no more, and the commit be answered all the same. */
const COMMIT = 'set local statement_timeout = 0; commit';

/** `begin` tells the id, and whether the name of the process is lost. Statements of the work follow it at once, without waiting for its answer. */
export async function transact<Tables, Result>(
  session: Session<Tables>,
  begin: string,
  work: Work<Tables, Result>,
  timed?: Timed,
): Promise<End<Result>> {
  // Both are waited for: what the work still says must not come after the rollback.
  const [begun, worked] = await Promise.allSettled([session.say(begin), invoke(work, session.rows)]);
  const { failure } = session;
  if (begun.status === 'rejected') return rolledBack(shown(failure), failure, await rollBack(session));
  const { id, lost } = begun.value.at(-1)?.rows[0] ?? {};
  if (lost === 1) {
    await rollBack(session);
    return { state: 'lost' };
  }
  if (worked.status === 'rejected') return rolledBack(worked.reason ?? new Error(NO_REASON), failure, await rollBack(session));
  const begunMs = performance.now();
  const end = await commit(session, worked.value, String(id));
  if (end.state === 'committed') timed?.('commit', (performance.now() - begunMs) / 1_000);
  return end;
}

async function commit<Result>(session: Speech, result: Result, id: string): Promise<End<Result>> {
  try {
    await session.say(COMMIT);
    return { state: 'committed', result };
  } catch {
    // The first: the work may have gone on after a statement that had failed.
    const { failure } = session;
    // A server that still answers has refused to commit.
    const isAlive = await rollBack(session);
    if (!isAlive) return { state: 'unknown', result, transaction: { id, at: session.at } };
    return rolledBack(shown(failure), failure, isAlive);
  }
}

/** So that what it throws at once is no different. */
async function invoke<Tables, Result>(work: Work<Tables, Result>, rows: Kysely<Tables>): Promise<Result> {
  return work(rows);
}

/** False when the connection is lost; the server rolls it back then. */
function rollBack(session: Speech): Promise<boolean> {
  return session.say('rollback').then(
    () => true,
    () => false,
  );
}

/** `failure` is PostgreSQL's, `error` what the work made of it. */
function rolledBack(error: unknown, failure: unknown, isAlive: boolean): End<never> {
  const mayRunAgain = failure !== null && (!isAlive || isRolledBackForOthers(failure));
  return { state: 'rolled-back', error: mayRunAgain ? shown(failure) : error, mayRunAgain };
}
