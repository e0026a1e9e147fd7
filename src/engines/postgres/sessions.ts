// The sessions of a ledger: a bounded pool of connections, set up for it. Those that break are replaced when the next one is needed.
import pg, { type ClientBase, type Pool, type PoolClient } from 'pg';
import { Semaphore } from '#runtime/concurrency.ts';
import { type PostgresPlace, reachedBy } from './place.ts';
import type { Source } from './rows.ts';
import { Session } from './session.ts';
import { types } from './types.ts';

/** To connect and to log in. */
const CONNECT_MS = 10_000;

/** After so long the server gives a statement up, though it only waits for a lock; and the process its connection, where the server says nothing. */
const STATEMENT_MS = 50_000;
const ANSWER_MS = 60_000;

/** Between two statements of a transaction: the locks of a process that has gone without a word are free after that. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** A connection that is not used for so long is closed. */
const IDLE_MS = 600_000;

interface Held {
  readonly client: PoolClient;
  readonly room: Disposable;
}

export class Sessions<Tables> implements Source<Session<Tables>> {
  readonly #pool: Pool;
  readonly #room: Semaphore;
  readonly #known = new WeakMap<ClientBase, Session<Tables>>();
  readonly #held = new Map<Session<Tables>, Held>();

  constructor(place: PostgresPlace, mode: 'read' | 'write') {
    this.#room = new Semaphore(place.connectionsMax);
    this.#pool = new pg.Pool({
      ...reachedBy(place),
      max: place.connectionsMax,
      application_name: 'dropgate',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      // Statements that a write does not wait for one by one are sent without waiting, too.
      pipeline: true,
      types,
      options: Object.entries({
        search_path: place.schema,
        default_transaction_read_only: mode === 'read' ? 'on' : 'off',
        statement_timeout: STATEMENT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        // Short queries do not gain by it.
        jit: 'off',
      })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      onConnect: (client) => this.#greet(client),
    });
    // A connection that breaks while it is idle: the pool has dropped it.
    this.#pool.on('error', () => {});
  }

  /** One that nobody else uses until it is given back. Throws what `pg` throws. */
  async take(): Promise<Session<Tables>> {
    const room = await this.#room.take();
    try {
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
    return this.#pool.end();
  }

  async #greet(client: ClientBase): Promise<void> {
    // What breaks while it is used, its query hears of.
    client.on('error', () => {});
    this.#known.set(client, await Session.open(client));
  }
}
