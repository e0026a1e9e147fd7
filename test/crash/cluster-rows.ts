// What the rows of the gateways' ledger tell of nodes and their homes, and which process changed any: asked beside the gateways, which say it nowhere.
import { sessionName } from '#engines/postgres/sessions.ts';
import type { PostgresDatabase } from '../support/postgres.ts';

const LEDGER = 'dropgate_gateway';

/** Notes by which session each row is changed; what is rolled back takes its notes with it. */
const NOTES = `
  create schema notes;
  create unlogged table notes.changes (session text, changed text);
  create function notes.note() returns trigger language plpgsql security definer as $$
    begin
      insert into notes.changes values (current_setting('application_name'), tg_table_name);
      return null;
    end $$;`;

export interface Owner {
  readonly node: string;
  readonly incarnation: string;
}

/** What a home is owed of what was acknowledged. */
export interface Owed {
  /** Due, and nobody's turn is before theirs. */
  readonly items: readonly string[];
  readonly publications: readonly string[];
}

export class ClusterRows {
  readonly #database: Pick<PostgresDatabase, 'administer'>;

  constructor(database: Pick<PostgresDatabase, 'administer'>) {
    this.#database = database;
  }

  /** Who has the home in hand; undefined while nobody has. */
  async ownerOf(home: string): Promise<Owner | undefined> {
    const { rows } = await this.#database.administer(
      `select node, incarnation from ${LEDGER}.homes_in_hand join ${LEDGER}.processes using (incarnation) where home = '${home}'`,
    );
    return rows[0];
  }

  homesOf(incarnation: string): Promise<string[]> {
    return this.#column(`select home from ${LEDGER}.homes_in_hand where incarnation = '${incarnation}'`);
  }

  async owedTo(home: string, now: number): Promise<Owed> {
    const due = `state = 'pending' and next_attempt_at <= ${now} and waits_for is null`;
    return {
      items: await this.#column(`select item from ${LEDGER}.items where home = '${home}' and ${due}`),
      publications: await this.#column(`select publication from ${LEDGER}.publications where home = '${home}' and written_at is null`),
    };
  }

  /** When one of them was first tried, ended or published after that moment; undefined while none was. */
  async goneOnWith({ items, publications }: Owed, after: number): Promise<number | undefined> {
    const [first] = await this.#column(`
      select min(moment) from (
        select at as moment from ${LEDGER}.attempts where item = any('{${items}}')
        union all select ended_at from ${LEDGER}.items where item = any('{${items}}')
        union all select written_at from ${LEDGER}.publications where publication = any('{${publications}}')
      ) as moments where moment > ${after} having min(moment) is not null`);
    return first === undefined ? undefined : Number(first);
  }

  async isOpen({ items, publications }: Owed): Promise<boolean> {
    const open = await this.#column(`
      select item from ${LEDGER}.items where item = any('{${items}}') and state = 'pending'
      union all select publication::text from ${LEDGER}.publications where publication = any('{${publications}}') and written_at is null`);
    return open.length > 0;
  }

  /** From now on it is noted who changes which rows; all tables are there. */
  async noteChanges(): Promise<void> {
    await this.#database.administer(NOTES);
    const on = 'after insert or update or delete on %I.%I for each row execute function notes.note()';
    // In a transaction for each table, so that it waits for no write that waits for it.
    await this.#database.administer(`
      do $$ declare name text; begin
        for name in select tablename from pg_tables where schemaname = '${LEDGER}' loop
          execute format('create trigger note ${on}', '${LEDGER}', name);
          commit;
        end loop;
      end $$`);
  }

  /** How many rows of each table a process has changed. */
  changesBy(incarnation: string): Promise<string[]> {
    const session = sessionName(incarnation);
    return this.#column(
      `select changed || ' ' || count(*) from notes.changes where session = '${session}' group by changed order by changed`,
    );
  }

  /** The only column of what a query finds. */
  async #column(query: string): Promise<string[]> {
    const { rows } = await this.#database.administer(query);
    return rows.flatMap((row) => Object.values(row).map(String));
  }
}
