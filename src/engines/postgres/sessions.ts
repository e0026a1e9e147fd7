// The sessions of a ledger: a bounded pool of connections, set up for it. Those that break are replaced when the next one is needed.
import pg, { type ClientBase, type ConnectionConfig, type Pool, type PoolClient } from 'pg';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { type PostgresPlace, reachedBy } from './place.ts';
import type { Source } from './rows.ts';
import { Session } from './session.ts';
import { Silence } from './silence.ts';
import { types } from './types.ts';

/** To connect and to log in. */
const CONNECT_MS = 10_000;

/** For a server that is doubted. */
const DOUBTED_MS = 5_000;

/** After so long the server gives a statement up, though it only waits for a lock; and the process its connection, where the server says nothing. */
const STATEMENT_MS = 50_000;
const ANSWER_MS = 60_000;

/** Between two statements of a transaction: the locks of a process that has gone without a word are free after that. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** A process whose machine has gone without a word is noticed after so many seconds: 10 and 3 times 5. */
const KEEPALIVES = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/** A connection that is not used for so long is closed. */
const IDLE_MS = 600_000;

/** What each session with the server has, be it of the pool or not. */
export function sessionAt(place: PostgresPlace, mode: 'read' | 'write'): ConnectionConfig {
  return {
    ...reachedBy(place),
    application_name: sessionName(place.process),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    // Statements that a write does not wait for one by one are sent without waiting, too.
    pipeline: true,
    types,
    options: Object.entries({
      search_path: place.schema,
      default_transaction_read_only: mode === 'read' ? 'on' : 'off',
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...KEEPALIVES,
      // Short queries do not gain by it.
      jit: 'off',
    })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/** By which `pg_stat_activity` shows the sessions of a process. */
export function sessionName(process: string | undefined): string {
  return process === undefined ? 'dropgate' : `dropgate ${process}`;
}

interface Held {
  readonly client: PoolClient;
  readonly room: Disposable;
}

export class Sessions<Tables> implements Source<Session<Tables>> {
  readonly #pool: Pool;
  readonly #room: Semaphore;
  readonly #known = new WeakMap<ClientBase, Session<Tables>>();
  readonly #held = new Map<Session<Tables>, Held>();
  readonly #silence: Silence<Tables>;

  constructor(place: PostgresPlace, mode: 'read' | 'write', clock: Clock) {
    this.#silence = new Silence({ clock, ask: () => ask(place), sessions: () => this.#held.keys() });
    this.#room = new Semaphore(place.connectionsMax);
    this.#pool = new pg.Pool({
      ...sessionAt(place, mode),
      max: place.connectionsMax,
      idleTimeoutMillis: IDLE_MS,
      onConnect: (client) => this.#greet(client),
    });
    // A connection that breaks while it is idle: the pool has dropped it.
    this.#pool.on('error', () => {});
  }

  /** How many have been taken and not given back. */
  get used(): number {
    return this.#held.size;
  }

  /** One that nobody else uses until it is given back. Throws what `pg` throws. */
  async take(): Promise<Session<Tables>> {
    const room = await this.#room.take();
    try {
      await this.#silence.check();
      const client = await this.#pool.connect();
      const session = this.#known.get(client);
      if (!session) throw new TypeError('a connection was not greeted');
      this.#held.set(session, { client, room });
      return session.taken();
    } catch (error) {
      room[Symbol.dispose]();
      throw error;
    }
  }

  giveBack(session: Session<Tables>): void {
    const held = this.#held.get(session);
    this.#held.delete(session);
    held?.client.release(session.isBroken);
    held?.room[Symbol.dispose]();
  }

  close(): Promise<void> {
    this.#silence[Symbol.dispose]();
    return this.#pool.end();
  }

  async #greet(client: ClientBase): Promise<void> {
    // What breaks while it is used, its query hears of.
    client.on('error', () => {});
    this.#known.set(client, await Session.open(client));
  }
}

/** Whether the server answers: throws when it does not. */
async function ask(place: PostgresPlace): Promise<void> {
  const client = new pg.Client({ ...sessionAt(place, 'read'), connectionTimeoutMillis: DOUBTED_MS, query_timeout: DOUBTED_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    client.connection.stream.destroy();
  }
}
