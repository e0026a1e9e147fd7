// A session with PostgreSQL: one connection, as Kysely and the engine use it.
import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import pg, { type QueryResult as Answer, type ClientBase } from 'pg';
import { offerDirect } from '#engines/prepared.ts';
import { toValue } from '#engines/values.ts';
import { endsSession, shown } from './failures.ts';
import { rowsOf } from './rows.ts';

/**
 * Says which server it is (a copy that went on by itself has another timeline), and in which life: after a crash it counts its statistics anew. What is
 * committed is durable, even where the server is lax.
 */
const FIRST_WORDS = `
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
  select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as server,
    (select stats_reset from pg_stat_bgwriter)::text as life from pg_control_system()`;

export interface ServerLife {
  readonly server: string;
  readonly life: string;
}

/** What is said to the server in the engine's own words. */
export type Speech = Pick<Session<never>, 'say' | 'at' | 'failure'>;

export class Session<Tables> implements DatabaseConnection {
  readonly #client: ClientBase;
  #at: ServerLife = { server: '', life: '' };
  /** All of them by this session. */
  readonly rows: Kysely<Tables>;
  #failure: unknown = null;
  #isBroken = false;
  #isGathering = false;
  #asked = 0;
  #answers = 0;

  private constructor(client: ClientBase) {
    this.#client = client;
    this.rows = rowsOf<Tables, Session<Tables>>({ take: async () => this, giveBack: () => {} });
    offerDirect(this.rows, (sql, parameters, name) => this.ask(sql, parameters, name));
  }

  /** Of a connection that was just made. */
  static async open<Tables>(client: ClientBase): Promise<Session<Tables>> {
    const session = new Session<Tables>(client);
    const [, answer] = await session.say(FIRST_WORDS);
    const { server, life } = answer?.rows[0] ?? {};
    session.#at = { server: String(server), life: String(life) };
    return session;
  }

  /** Whose it is. */
  get at(): ServerLife {
    return this.#at;
  }

  /** The first error of PostgreSQL, or of the way to it, since the session was taken; null when there was none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether the connection can serve nobody any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether something that was asked is not answered yet. */
  get isWaiting(): boolean {
    return this.#asked > this.#answers;
  }

  /** How often it was answered. */
  get answers(): number {
    return this.#answers;
  }

  /** What waits for an answer fails now. */
  abandon(): void {
    if (this.#client instanceof pg.Client) this.#client.connection.stream.destroy();
  }

  taken(): this {
    this.#failure = null;
    return this;
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.ask(sql, parameters);
  }

  /** A statement with a name keeps its plan. */
  async ask<Row>(text: string, parameters: readonly unknown[], name?: string): Promise<QueryResult<Row>> {
    const values = parameters.map(toValue);
    this.#sendTogether();
    try {
      const asked = this.#client.query<Row & object>({ text, values, ...(name !== undefined && { name }) });
      const { command, rowCount, rows } = await this.#noting(asked);
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      throw shown(error);
    }
  }

  /** Statements without values, sent in one message; resolves with what each answers. */
  async say(statements: string): Promise<readonly Answer<Readonly<Record<string, unknown>>>[]> {
    this.#sendTogether();
    // A list, when there are several.
    return [await this.#noting(this.#client.query<Readonly<Record<string, unknown>>>(statements))].flat();
  }

  // biome-ignore lint/correctness/useYield: Kysely wants it, and nothing is read in streams
  async *streamQuery(): AsyncGenerator<never> {
    throw new TypeError('rows are read in pages');
  }

  /** What is said in one turn of the event loop leaves in one write: a write to a socket costs more than most statements. */
  #sendTogether(): void {
    if (this.#isGathering || !(this.#client instanceof pg.Client)) return;
    const { stream } = this.#client.connection;
    this.#isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  async #noting<Result>(answer: Promise<Result>): Promise<Result> {
    this.#asked++;
    try {
      return await answer;
    } catch (error) {
      this.#failure ??= error;
      this.#isBroken ||= endsSession(error);
      throw error;
    } finally {
      this.#answers++;
    }
  }
}
