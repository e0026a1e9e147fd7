// The name of a process, which is its own until it ends: a lock of a session that it keeps for nothing else. When that session is lost, the name is
// taken again on a new one.
import pg, { type Client } from 'pg';
import { AppError } from '#domain/error.ts';
import type { CommonName } from '#engines/database.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { reasonOf } from '#runtime/outbound/reason.ts';
import { numberOf } from './locks.ts';
import { type PostgresPlace, shownPlace } from './place.ts';
import type { Speech } from './session.ts';
import { sessionAt, sessionName } from './sessions.ts';

/** Of a process that was killed the server hears at once as a rule; of a write that found the name lost, when that has ended; one that lives answers. */
const TRIED_MS = 5_000;
const PAUSE_MS = 100;

/** A process that lives has its name again by then, when the server was away: a try to connect lasts ten seconds at the most, and the next one follows. */
const FREE_MS = 15_000;

/** Until a session that was told to end has ended. */
const ENDED_MS = 5_000;

/** From a try to take a name again that failed to the next one. */
const AWAY_MS = 250;

/** What processes that were opened under one name tell each other. */
const WHO = 'who';
const HERE = 'here';

export interface ClaimParts {
  readonly place: PostgresPlace;
  readonly clock: Clock;
  /** Hears once that a name cannot be taken again, and once that it is. */
  readonly log?: Pick<Log, 'warn' | 'info'> | undefined;
  /** When the ledger was opened, in the server's words. */
  readonly opened: string;
  readonly end: (error: AppError) => Promise<never>;
}

interface Claimed {
  readonly name: string;
  readonly isStill: () => Promise<boolean>;
  readonly common: CommonName | undefined;
}

const KEEP = 'pg_try_advisory_lock';
const SHARE = 'pg_try_advisory_lock_shared';

/** When this session began. */
export async function beganAt(session: Speech): Promise<string> {
  const [answer] = await session.say('select backend_start::text as began from pg_stat_activity where pid = pg_backend_pid()');
  return String(answer?.rows[0]?.began);
}

export class Claim {
  readonly #parts: ClaimParts;
  #claimed: Claimed | null = null;
  /** Once the name is claimed it has the name, unless that is being taken again. */
  #session: Client | null = null;
  /** The last session's, which the server may not have missed. */
  #backend: number | null = null;
  #takingAgain: Promise<void> | null = null;
  #nextTry: Disposable | null = null;
  /** Since the last try that came to a good end. */
  #hasFailed = false;
  #isAnswered = false;
  #times = 0;
  #isClosed = false;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** Its lock, from when it is claimed. */
  get lock(): bigint | null {
    return this.#claimed && this.#lockOf(this.#claimed.name);
  }

  /** How often it was taken. */
  get times(): number {
    return this.#times;
  }

  async take(claimed: Claimed): Promise<boolean> {
    await this.#connect();
    if (!(await this.#endFormer()) || !(await this.#take(claimed))) return false;
    this.#claimed = claimed;
    return true;
  }

  /** A write has found it lost after it was taken so often. Ends the process where another has it; throws what `pg` throws, and tries on. */
  async takeAgain(times = this.#times): Promise<void> {
    if (times < this.#times) return;
    this.#takingAgain ??= this.#takeAgain().finally(() => {
      this.#takingAgain = null;
    });
    await this.#takingAgain;
  }

  async outlive(name: string, known: boolean): Promise<boolean> {
    await this.#ensureSession();
    if (known) await this.#endSessions(name);
    else if (!(await this.#staysFree(name))) return false;
    // Shared, so that its writes find it lost, and it cannot take it again.
    if (!(await this.#try(SHARE, name))) return false;
    return this.#endSessions(name);
  }

  async isFirst(silentMs: number): Promise<boolean> {
    const common = this.#claimed?.common;
    if (common === undefined || common.isAlone) return true;
    await this.#ensureSession();
    // Each keeps the common name on the session that it asks by, of which the server knows when it began and when it last asked.
    const first = await this.#ask(`select pid = pg_backend_pid() as is_own from pg_locks join pg_stat_activity using (pid)
      where datname = current_database() and locktype = 'advisory' and (classid::bigint << 32) | objid::bigint = ${this.#lockOf(common.name)}
        and (pid = pg_backend_pid() or query_start > now() - interval '${silentMs} milliseconds')
      order by backend_start, pid limit 1`);
    return first?.is_own === 1;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#nextTry?.[Symbol.dispose]();
    if (this.#takingAgain !== null) this.#abandon();
    await this.#takingAgain?.catch(() => {});
    using _late = this.#parts.clock.after(ENDED_MS, () => this.#abandon());
    await this.#session?.end().catch(() => {});
  }

  /** With its name, which nothing else takes again on a session that stands. */
  async #ensureSession(): Promise<void> {
    if (this.#session === null || this.#takingAgain !== null) await (this.#claimed ? this.takeAgain() : this.#connect());
  }

  async #takeAgain(): Promise<void> {
    const { place, end } = this.#parts;
    if (this.#claimed === null) return;
    const { isStill } = this.#claimed;
    let isOurs: boolean;
    try {
      this.#abandon();
      await this.#connect();
      // Before as well: as soon as the name is taken writes are committed.
      isOurs = (await isStill()) && (await this.#take(this.#claimed)) && (await isStill());
      if (isOurs && this.#session === null) throw lost();
    } catch (error) {
      this.#abandon();
      this.#failed(error);
      this.#tryLater();
      throw error;
    }
    if (isOurs) this.#succeeded();
    if (isOurs || this.#isClosed) return;
    await end(new AppError('locked', `Another dropgate has taken over the ${shownPlace(place)} while this one was cut off from it.`));
  }

  #failed(error: unknown): void {
    if (this.#hasFailed || this.#isClosed) return;
    this.#hasFailed = true;
    const reason = error instanceof pg.DatabaseError ? error.message : reasonOf(error);
    const sentence = `This process is cut off from the ${shownPlace(this.#parts.place)} (${reason}): it writes nothing until it has its name there again, for which it tries all the time, and ends where another has taken over by then.`;
    this.#parts.log?.warn({ event: 'ledger.away', reason, sentence });
  }

  #succeeded(): void {
    if (this.#hasFailed) this.#parts.log?.info({ event: 'ledger.back' });
    this.#hasFailed = false;
  }

  /** The name comes last: as soon as it is taken writes are committed. */
  async #take({ name, common }: Claimed): Promise<boolean> {
    if (common && !(await this.#comes(() => this.#try(common.isAlone ? KEEP : SHARE, common.name)))) return false;
    if (!(await this.#comes(() => this.#try(KEEP, name)))) return false;
    this.#times++;
    return true;
  }

  /** Of a process that lives the name is free, too, from when the server is back until it has taken it again: for that it is given back in between. */
  async #staysFree(name: string): Promise<boolean> {
    const session = this.#session;
    if (!(await this.#try('pg_try_advisory_xact_lock_shared', name))) return false;
    await new Promise<void>((wake) => this.#parts.clock.after(FREE_MS, wake));
    return this.#session === session;
  }

  async #connect(): Promise<void> {
    const { process } = this.#parts.place;
    const session = new pg.Client(sessionAt(this.#parts.place, 'write'));
    session.on('error', () => {});
    session.once('end', () => this.#lost(session));
    this.#session = session;
    await session.connect();
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
    const [{ pid } = {}] = rows;
    if (process === undefined || pid === undefined) return;
    session.on('notification', ({ processId, payload }) => processId !== pid && this.#hear(payload));
    // What it says need not be durable, and waits for no standby.
    await session.query(`set synchronous_commit = off; listen "${sessionName(process)}"`);
    const hasEnded = this.#backend === null || (await this.#endSessions(process, `pid = ${this.#backend}`));
    if (!hasEnded) throw new Error('the last session has not ended yet, which has the name');
    this.#backend = pid;
  }

  /** Taken again at once, or as soon as the server is back. */
  #lost(session: Client): void {
    if (this.#session !== session) return;
    this.#session = null;
    if (!this.#isClosed) void this.takeAgain().catch(() => {});
  }

  /** Nobody waits for a server that may say nothing. */
  #abandon(): void {
    this.#session?.connection.stream.destroy();
    this.#session = null;
  }

  /** Also when nothing is written. */
  #tryLater(): void {
    if (this.#isClosed) return;
    this.#nextTry?.[Symbol.dispose]();
    this.#nextTry = this.#parts.clock.after(AWAY_MS, () => {
      if (this.#session === null) void this.takeAgain().catch(() => {});
    });
  }

  /** Ends what a process has left that was opened under the same name before this one; false where it lives. What this one has since reads and writes on. */
  async #endFormer(): Promise<boolean> {
    const { place, opened } = this.#parts;
    if (place.process === undefined) return true;
    const former = `backend_start < '${opened}'`;
    const theirs = sessionsOf(place.process, former);
    const hasSettled = async (): Promise<boolean> => {
      const left = await this.#ask(`select count(*) as sessions ${theirs}`);
      if (left?.sessions === 0 || this.#isAnswered) return true;
      await this.#say(WHO);
      return false;
    };
    if (!(await this.#comes(hasSettled))) await this.#endSessions(place.process, former);
    return !this.#isAnswered;
  }

  #hear(payload: string | undefined): void {
    if (payload === HERE) this.#isAnswered = true;
    if (payload === WHO) void this.#say(HERE).catch(() => {});
  }

  async #say(word: string): Promise<void> {
    await this.#ask(`notify "${sessionName(this.#parts.place.process)}", '${word}'`);
  }

  /** Within the time that others have for it. */
  async #comes(asked: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#parts;
    const until = clock.now() + TRIED_MS;
    while (!(await asked())) {
      if (clock.now() > until) return false;
      await new Promise<void>((wake) => clock.after(PAUSE_MS, wake));
    }
    return true;
  }

  async #try(how: string, name: string): Promise<boolean> {
    const answer = await this.#ask(`select ${how}(${this.#lockOf(name)}) as is_taken`);
    return answer?.is_taken === 1;
  }

  /** False where one of them is left. Those that have begun meanwhile may be: what they write finds the name lost. */
  async #endSessions(name: string, which = 'true'): Promise<boolean> {
    const theirs = sessionsOf(name, which);
    const told = await this.#ask(`select now()::text as at, count(pg_terminate_backend(pid, ${ENDED_MS})) as sessions ${theirs}`);
    const left = await this.#ask(`select count(*) as sessions ${theirs} and backend_start <= '${told?.at}'`);
    return left?.sessions === 0;
  }

  async #ask(statement: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    if (this.#session === null) throw lost();
    return (await this.#session.query<Readonly<Record<string, unknown>>>(statement)).rows[0];
  }

  #lockOf(name: string): bigint {
    return numberOf(this.#parts.place.schema, `process ${name}`);
  }
}

/** The other sessions of a process: names are known within a database. */
function sessionsOf(name: string, which: string): string {
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  return `${others} and application_name = '${sessionName(name)}' and ${which}`;
}

const lost = (): Error => new Error('the session was lost');
