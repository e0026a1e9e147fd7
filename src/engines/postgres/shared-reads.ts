// Reads that share a session: short ones are sent one behind the other without waiting, and the session is given back when all are answered.
import type { QueryResult } from 'kysely';
import type { Source } from './rows.ts';
import type { Session } from './session.ts';

/** On one session; what comes then takes another one, so that a few that take long hold up few. */
const READS_MAX = 8;

interface Held<Tables> {
  readonly session: Promise<Session<Tables>>;
  reads: number;
}

export class SharedReads<Tables> {
  readonly #source: Source<Session<Tables>>;
  #held: Held<Tables> | null = null;

  constructor(source: Source<Session<Tables>>) {
    this.#source = source;
  }

  /** Throws what the source throws, and the statement. */
  async ask<Row>(sql: string, parameters: readonly unknown[], name: string): Promise<QueryResult<Row>> {
    const held = this.#hold();
    held.reads++;
    try {
      const session = await held.session;
      return await session.ask<Row>(sql, parameters, name);
    } catch (error) {
      // Its connection may be lost: nobody else is to ask there.
      this.#leave(held);
      throw error;
    } finally {
      held.reads--;
      if (held.reads === 0) await this.#giveBack(held);
    }
  }

  #hold(): Held<Tables> {
    if (this.#held && this.#held.reads < READS_MAX) return this.#held;
    this.#held = { session: this.#source.take(), reads: 0 };
    return this.#held;
  }

  #leave(held: Held<Tables>): void {
    if (this.#held === held) this.#held = null;
  }

  async #giveBack(held: Held<Tables>): Promise<void> {
    this.#leave(held);
    // Where there is none, each read has been told why.
    const session = await held.session.catch(() => null);
    if (session) this.#source.giveBack(session);
  }
}
