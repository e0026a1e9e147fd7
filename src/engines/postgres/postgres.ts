// PostgreSQL as a database engine: writes that come while others are committed share a transaction, and those with a scope in common go one after the
// other.
import { type Kysely, sql } from 'kysely';
import { AppError } from '#domain/error.ts';
import type { CommonName, Database, Scope, Timed } from '#engines/database.ts';
import { endThread } from '#engines/failures.ts';
import { offerDirect } from '#engines/prepared.ts';
import type { Schema, TablesOf } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { beganAt, Claim, type ClaimParts } from './claim.ts';
import { shown } from './failures.ts';
import { fateOf } from './fate.ts';
import { Groups } from './groups.ts';
import { beginWith } from './locks.ts';
import { type PostgresPlace, shownPlace } from './place.ts';
import { checkRights, checkServer, refusalOf } from './refusals.ts';
import { rowsOf, type Source } from './rows.ts';
import type { Session } from './session.ts';
import { Sessions, sessionName } from './sessions.ts';
import { SharedReads } from './shared-reads.ts';
import { checkTables, ensureTables } from './tables.ts';
import { type End, transact, type Work } from './transaction.ts';

/** How often a write is run that was rolled back for the sake of others, or whose connection was lost: each of a pool may be. */
const RUNS_MAX = 12;

export interface PostgresOptions {
  readonly timed?: Timed | undefined;
  readonly clock?: Clock;
  readonly log?: ClaimParts['log'];
  /** Ends the process, or its thread, when it cannot be told any more what was committed: the next start goes on from what it finds. */
  readonly end?: (error: AppError) => Promise<never>;
}

/**
 * Opens the ledger, and makes its schema with the tables when they are not there. Throws `usage` for a server that cannot hold it and for tables that
 * are not its own, `storage` when the server cannot be reached.
 */
export async function openPostgres<Declared extends Schema>(
  place: PostgresPlace,
  schema: Declared,
  { clock = systemClock, end = endThread, timed, log }: PostgresOptions = {},
): Promise<Database<TablesOf<Declared>>> {
  const writers = new Sessions<TablesOf<Declared>>(place, 'write', clock);
  let opened: string;
  try {
    const session = await writers.take();
    try {
      await checkServer(session, place, clock);
      await ensureTables(session, place, schema);
      opened = await beganAt(session);
    } finally {
      writers.giveBack(session);
    }
  } catch (error) {
    await writers.close();
    throw refusalOf(place, error);
  }
  return new PostgresDatabase(place, writers, { clock, end, timed, log, opened });
}

/** Whether the ledger has been made, or can be; makes nothing. Throws what `openPostgres` throws. */
export async function inspectPostgres(place: PostgresPlace, schema: Schema): Promise<boolean> {
  const readers = new Sessions(place, 'read', systemClock);
  try {
    const session = await readers.take();
    try {
      await checkServer(session, place, systemClock);
      const isMade = await checkTables(session, place, schema);
      if (!isMade) await checkRights(session, place);
      return isMade;
    } finally {
      readers.giveBack(session);
    }
  } catch (error) {
    throw refusalOf(place, error);
  } finally {
    await readers.close();
  }
}

type DatabaseParts = Required<PostgresOptions> & Pick<ClaimParts, 'opened'>;

class PostgresDatabase<Tables> implements Database<Tables> {
  readonly read: Kysely<Tables>;
  /** The server works on it, not this thread. */
  readonly scan: Kysely<Tables>;
  readonly #place: PostgresPlace;
  readonly #writers: Sessions<Tables>;
  readonly #readers: Sessions<Tables>;
  readonly #options: DatabaseParts;
  readonly #groups: Groups<Tables>;
  readonly #claim: Claim;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;
  #commits = 0;

  constructor(place: PostgresPlace, writers: Sessions<Tables>, options: DatabaseParts) {
    this.#place = place;
    this.#writers = writers;
    this.#readers = new Sessions(place, 'read', options.clock);
    this.#options = options;
    this.#claim = new Claim({ place, ...options });
    this.#groups = new Groups({
      clock: options.clock,
      max: place.connectionsMax,
      transact: (scopes, work, isShared) => this.#write(scopes, work, isShared ? 1 : RUNS_MAX),
    });
    const readers: Source<Session<Tables>> = {
      take: () => showing(this.#readers.take()),
      giveBack: (session) => this.#readers.giveBack(session),
    };
    this.read = rowsOf(readers);
    this.scan = rowsOf(readers);
    const shared = new SharedReads(readers);
    offerDirect(this.read, (sql, parameters, name) => shared.ask(sql, parameters, name));
  }

  get commits(): number {
    return this.#commits;
  }

  get connections(): { readonly used: number; readonly max: number } {
    return { used: this.#writers.used + this.#readers.used, max: 2 * this.#place.connectionsMax };
  }

  write<Result>(scopes: readonly Scope[], work: Work<Tables, Result>): Promise<Result> {
    if (this.#closing !== null) return Promise.reject(new AppError('storage', 'The ledger is closed.'));
    const writing = this.#groups.write(scopes, work);
    const settled = writing.catch(() => {}).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return writing;
  }

  /** Its files are rewritten by VACUUM FULL alone, which keeps everybody else out. */
  async wipe(): Promise<boolean> {
    return false;
  }

  claim(name: string, isStill: () => Promise<boolean>, common?: CommonName): Promise<boolean> {
    return showing(this.#claim.take({ name, isStill, common }));
  }

  outlive(name: string, known: boolean): Promise<boolean> {
    return showing(this.#claim.outlive(name, known));
  }

  async isConnected(name: string): Promise<boolean> {
    const theirs = sql`select pid from pg_stat_activity where datname = current_database() and application_name = ${sessionName(name)} limit 1`;
    return (await theirs.execute(this.read)).rows.length > 0;
  }

  isFirst(silentMs: number): Promise<boolean> {
    return showing(this.#claim.isFirst(silentMs));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#underWay)
      .then(() => Promise.all([this.#writers.close(), this.#readers.close(), this.#claim.close()]))
      .then(() => {});
    return this.#closing;
  }

  async #write<Result>(scopes: readonly Scope[], work: Work<Tables, Result>, runsMax: number): Promise<Result> {
    for (let run = 1; ; run++) {
      const { times } = this.#claim;
      const begin = beginWith(this.#place.schema, scopes, this.#claim.lock);
      const end = await this.#run(begin, work);
      if (end.state === 'lost') {
        await showing(this.#claim.takeAgain(times));
        continue;
      }
      if (end.state === 'committed') {
        this.#commits++;
        return end.result;
      }
      if (!end.mayRunAgain || run >= runsMax) throw end.error;
    }
  }

  async #run<Result>(begin: string, work: Work<Tables, Result>): Promise<Exclude<End<Result>, { state: 'unknown' }>> {
    const session = await showing(this.#writers.take());
    const end = await transact(session, begin, work, this.#options.timed).finally(() => this.#writers.giveBack(session));
    if (end.state !== 'unknown') return end;
    const fate = await fateOf(this.#writers, end.transaction, this.#options.clock);
    if (fate === 'committed') return { state: 'committed', result: end.result };
    if (fate === 'aborted') return { state: 'rolled-back', error: shown(session.failure), mayRunAgain: true };
    return this.#options.end(
      new AppError(
        'storage',
        `The ${shownPlace(this.#place)} was lost during a commit, and the server that answers now cannot tell whether it was made. Start again: what is there counts.`,
      ),
    );
  }
}

async function showing<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    throw shown(error);
  }
}
