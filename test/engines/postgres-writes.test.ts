// What PostgreSQL makes harder than SQLite: writes beside each other, and commits whose answer is lost on the way.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AppError } from '#domain/error.ts';
import type { Database, Scope } from '#engines/database.ts';
import { openPostgres, type PostgresOptions } from '#engines/postgres/postgres.ts';
import { prepared } from '#engines/prepared.ts';
import { integer, key, preset, type TablesOf, text } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { LONG_MS } from '../support/patience.ts';
import { hasPostgres, newPostgresDatabase, newSchema, type PostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { type HeldCommit, type Relay, startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const schema = {
  version: 1,
  tables: { things: { columns: { id: key(), name: text(), count: preset(integer(), 0) }, uniques: { things_name: '(name)' } } },
} as const;

type Tables = TablesOf<typeof schema>;

describe.runIf(hasPostgres)('a write to PostgreSQL', () => {
  let held: PostgresDatabase;
  let relay: Relay;
  let place: PostgresDatabase['place'];
  let database: Database<Tables>;
  let runs: number;
  beforeAll(async () => {
    held = await newPostgresDatabase();
  });
  afterAll(() => held[Symbol.asyncDispose]());
  beforeEach(async () => {
    relay = await startRelay(await sharedPostgres());
    const { host, port } = relay;
    place = { ...held.place, host, port, schema: newSchema() };
    database = await open();
    runs = 0;
  });

  async function open(options?: PostgresOptions): Promise<Database<Tables>> {
    const opened = await openPostgres(place, schema, options);
    onTestFinished(() => opened.close());
    return opened;
  }

  const add = (name: string, by = database) =>
    by.write([], async (rows) => {
      runs++;
      await rows.insertInto('things').values({ name }).execute();
      return name;
    });
  const names = async (rows = database.read) =>
    (await rows.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

  /** The next COMMIT that counts, before the server has it. */
  function nextCommit(counts = () => true): Promise<HeldCommit> {
    return new Promise((come) => {
      relay.atCommit = (commit) => {
        if (!counts()) return commit.pass();
        relay.atCommit = null;
        come(commit);
      };
    });
  }

  describe('whose connection breaks', () => {
    it('before its COMMIT is run again', async () => {
      const result = await database.write([], async (rows) => {
        runs++;
        await rows.insertInto('things').values({ name: 'a' }).execute();
        if (runs === 1) relay.cut();
        await rows.updateTable('things').set({ count: runs }).execute();
        return runs;
      });
      expect(result).toBe(2);
      expect(await database.read.selectFrom('things').select(['name', 'count']).execute()).toEqual([{ name: 'a', count: 2 }]);
    });

    it('while its COMMIT is on the way is run again when the server never had it', async () => {
      const coming = nextCommit();
      const added = add('a');
      const commit = await coming;
      commit.cutServer();
      commit.cutProcess();
      expect(await added).toBe('a');
      expect(runs).toBe(2);
      expect(await names()).toEqual(['a']);
    });

    it('while its COMMIT is answered is done, and not run again', async () => {
      const coming = nextCommit();
      const added = add('a');
      const commit = await coming;
      await commit.deliver();
      commit.cutProcess();
      expect(await added).toBe('a');
      expect(runs).toBe(1);
      expect(await names()).toEqual(['a']);
    });

    it.each<[string, (commit: HeldCommit) => unknown, number]>([
      ['committed', (commit) => commit.deliver(), 1],
      ['rolled back', (commit) => commit.cutServer(), 2],
    ])('is asked about until the server has %s it', async (_, decide, expected) => {
      let questions = 0;
      const clock: Clock = {
        ...systemClock,
        after(delayMs, call) {
          questions++;
          return systemClock.after(delayMs, call);
        },
      };
      const asking = await open({ clock });
      const coming = nextCommit();
      const added = add('a', asking);
      const commit = await coming;
      commit.cutProcess();
      await until('it to be in progress', () => questions > 1);
      expect(await names()).toEqual([]);
      await decide(commit);
      expect(await added).toBe('a');
      expect(runs).toBe(expected);
      expect(await names()).toEqual(['a']);
    });

    it('waits for the database to come back before it says what became of it', async () => {
      const coming = nextCommit();
      const added = add('a');
      const commit = await coming;
      const { target } = relay;
      relay.target = null;
      await commit.deliver();
      relay.cut();
      await expect(names()).rejects.toMatchObject({ code: 'storage' });
      relay.target = target;
      expect(await added).toBe('a');
      expect(runs).toBe(1);
    });

    it(
      'is believed to be committed by no server that has crashed, and made another transaction under its id',
      async () => {
        await using crashing = await startPostgres();
        await using there = await newPostgresDatabase({ server: crashing.server, name: place.database });
        relay.target = crashing.server;
        const ended = Promise.withResolvers<AppError>();
        const ending = await open({
          end(error) {
            ended.resolve(error);
            return Promise.reject(new Error('the process is gone'));
          },
        });
        const coming = nextCommit();
        // What writes nothing leaves no trace of its id.
        const id = Promise.withResolvers<string>();
        let begun = 0;
        const reading = ending.write([], async (rows) => {
          begun++;
          const { rows: found } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(rows);
          id.resolve(found[0]?.id ?? '');
        });
        const commit = await coming;
        relay.target = null;
        const { rows } = await there.administer(
          `select pid from pg_stat_activity where usename = 'dropgate' and datname = current_database()`,
        );
        process.kill(rows[0].pid, 'SIGKILL');
        commit.cutProcess();
        const passed = `select pg_current_xact_id()::text::bigint > ${await id.promise} as passed`;
        await until(
          'another transaction to be made under its id',
          async () => {
            const answer = await there.administer(passed).catch(() => null);
            return answer?.rows[0].passed;
          },
          LONG_MS,
        );
        relay.target = crashing.server;
        const end = await reading.then(() => `done in run ${begun}`, String);
        // Where the other one of this id was rolled back, ours was not committed for certain, and is run again.
        expect(['Error: the process is gone', 'done in run 2']).toContain(end);
        if (begun === 1) expect(await ended.promise).toMatchObject({ code: 'storage', message: expect.stringContaining('cannot tell') });
        await ending.close();
      },
      LONG_MS,
    );

    it(
      'ends the process when another server answers, which cannot tell',
      async () => {
        await using other = await startPostgres();
        await using twin = await newPostgresDatabase({ server: other.server, name: place.database });
        await twin.administer(`create procedure pass(id bigint) language plpgsql as
        $$ begin while pg_current_xact_id()::text::bigint < id loop commit; end loop; end $$`);
        const ended = Promise.withResolvers<AppError>();
        const ending = await open({
          end(error) {
            ended.resolve(error);
            return Promise.reject(new Error('the process is gone'));
          },
        });
        const coming = nextCommit();
        const added = add('a', ending);
        const commit = await coming;
        const { rows } = await held.administer('select pg_current_xact_id()::text as id');
        // There is a transaction of this id there, too.
        await twin.administer(`call pass(${rows[0].id})`);
        await commit.deliver();
        relay.target = other.server;
        commit.cutProcess();
        await expect(added).rejects.toThrow('the process is gone');
        expect(await ended.promise).toMatchObject({ code: 'storage', message: expect.stringContaining('cannot tell') });
        expect(runs).toBe(1);
        await ending.close();
      },
      LONG_MS,
    );
  });

  describe('beside others', () => {
    const raise = (rows: typeof database.read, name: string) =>
      rows
        .updateTable('things')
        .set((each) => ({ count: each('count', '+', 1) }))
        .where('name', '=', name)
        .execute();

    /** Keeps as many transactions open as go on beside each other, until they are let go: what comes waits. That with the scopes ends last. */
    async function busy(scopes: readonly Scope[] = []): Promise<() => Promise<void>> {
      let open = 0;
      const two = [[], scopes].map((each) => {
        const goOn = Promise.withResolvers<void>();
        const written = database.write(each, async () => {
          open++;
          await goOn.promise;
        });
        return { goOn, written };
      });
      await until('two to be open', () => open === 2);
      return async () => {
        for (const { goOn, written } of two) {
          goOn.resolve();
          await written;
        }
      };
    }

    it('shares its transaction with those that wait as it does', async () => {
      const goOn = await busy(['home a']);
      const before = database.commits;
      const added = Array.from({ length: 20 }, (_, each) =>
        database.write(['home a'], async (rows) => {
          await rows
            .insertInto('things')
            .values({ name: `${each}` })
            .execute();
          return names(rows);
        }),
      );
      await goOn();
      const seen = await Promise.all(added);
      // Two that were open, and one for all the others.
      expect(database.commits - before).toBe(3);
      const all = Array.from({ length: 20 }, (_, each) => `${each}`);
      expect(seen).toEqual(all.map((_, each) => all.slice(0, each + 1)));
      expect(await names()).toEqual(all);
    });

    it('is committed whatever becomes of them, each once', async () => {
      await add('counter');
      const goOn = await busy(['home a']);
      const write = (each: number) =>
        database.write(['home a'], async (rows) => {
          await raise(rows, 'counter');
          if (each === 3) await rows.insertInto('things').values({ name: 'counter' }).execute();
          if (each === 7) throw new Error('changed my mind');
          return each;
        });
      const written = Promise.allSettled(Array.from({ length: 10 }, (_, each) => write(each)));
      await goOn();
      expect((await written).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual([
        0,
        1,
        2,
        expect.stringContaining('things_name'),
        4,
        5,
        6,
        'changed my mind',
        8,
        9,
      ]);
      expect(await database.read.selectFrom('things').select('count').execute()).toEqual([{ count: 8 }]);
    });

    it('waits for none that have no scope in common, however long they take', async () => {
      const goOn = await busy();
      expect(await add('a')).toBe('a');
      await goOn();
    });

    it.each<[string, (commit: HeldCommit) => unknown, number]>([
      ['came to the server', (commit) => commit.deliver(), 1],
      ['was lost', (commit) => commit.cutServer(), 2],
    ])('is done once where the COMMIT of all %s, and its answer was lost', async (_, decide, expected) => {
      await add('counter');
      const goOn = await busy(['home a']);
      let run = 0;
      const both = [0, 1].map(() =>
        database.write(['home a'], async (rows) => {
          run++;
          await raise(rows, 'counter');
        }),
      );
      // It may come before the last of those that were open is known to have ended.
      const coming = nextCommit(() => run === 2);
      await goOn();
      const commit = await coming;
      await decide(commit);
      commit.cutProcess();
      await Promise.all(both);
      expect(run).toBe(2 * expected);
      expect(await database.read.selectFrom('things').select('count').execute()).toEqual([{ count: 2 }]);
    });
  });

  it('whose COMMIT is refused was not committed, and is not run again', async () => {
    await held.administer(`alter table ${place.schema}.things add constraint late unique (count) deferrable initially deferred`);
    await add('a');
    await expect(add('b')).rejects.toMatchObject({ code: '23505' });
    expect(runs).toBe(2);
    expect(await names()).toEqual(['a']);
  });

  it('that goes on after a statement that failed rejects with what that said', async () => {
    await add('a');
    const careless = database.write([], async (rows) => {
      await rows.insertInto('things').values({ name: 'b' }).execute();
      await rows
        .insertInto('things')
        .values({ name: 'a' })
        .execute()
        .catch(() => {});
    });
    await expect(careless).rejects.toMatchObject({ code: '23505' });
    expect(await names()).toEqual(['a']);
  });

  it('that is rolled back to end a deadlock is run again', async () => {
    await add('a');
    await add('b');
    const met = Promise.withResolvers<void>();
    let first = 0;
    const both = (names: readonly [string, string]) =>
      database.write([], async (rows) => {
        const raise = (name: string) =>
          rows
            .updateTable('things')
            .set((each) => ({ count: each('count', '+', 1) }))
            .where('name', '=', name)
            .execute();
        await raise(names[0]);
        if (++first === 2) met.resolve();
        await met.promise;
        await raise(names[1]);
      });
    await Promise.all([both(['a', 'b']), both(['b', 'a'])]);
    // The one that was rolled back may take its row again before the other wakes, and there is a deadlock again.
    expect(first).toBeGreaterThan(2);
    expect(await database.read.selectFrom('things').select('count').execute()).toEqual([{ count: 2 }, { count: 2 }]);
  });

  it('runs beside those of other scopes', async () => {
    await database.write(['home a', 'account b'], async (rows) => {
      await rows.insertInto('things').values({ name: 'outer' }).execute();
      await database.write(['home b', 'account a'], (inner) => inner.insertInto('things').values({ name: 'inner' }).execute());
    });
    expect((await names()).sort()).toEqual(['inner', 'outer']);
  });

  it('waits for those of another process, and reads what they have written', async () => {
    const other = await open();
    const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = database.write(['home a'], async (rows) => {
      await rows.insertInto('things').values({ name: 'a' }).execute();
      began.resolve();
      await goOn.promise;
    });
    await began.promise;
    const second = other.write(['home a'], (rows) => rows.selectFrom('things').select('name').execute());
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
    await until('the second to wait', async () => (await held.administer(waits)).rowCount === 1);
    goOn.resolve();
    await first;
    expect(await second).toEqual([{ name: 'a' }]);
  });

  it('keeps a prepared query that failed with its transaction', async () => {
    const named = prepared((rows: typeof database.read, slot) =>
      rows.selectFrom('things').select('count').where('name', '=', slot<string>('name')),
    );
    await add('a');
    const failed = database.write([], async (rows) => {
      await Promise.all([sql`select 1 / 0`.execute(rows), named(rows, { name: 'a' })]);
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    const found = () => database.write([], (rows) => named(rows, { name: 'a' }));
    expect(await Promise.all([found(), found(), found()])).toEqual([[{ count: 0 }], [{ count: 0 }], [{ count: 0 }]]);
  });

  it('is read by prepared queries of which many are asked at once, over few connections, and one that fails fails alone', async () => {
    const ratio = prepared((rows: typeof database.read, slot) =>
      rows
        .selectFrom('things')
        .select(sql<number>`12 / ${slot<number>('by')}::bigint`.as('ratio'))
        .where('name', '=', slot<string>('name')),
    );
    await add('a');
    const asked = Array.from({ length: 40 }, (_, by) => ratio(database.read, { by: by % 20, name: 'a' }));
    const found = await Promise.allSettled(asked);
    expect(found.map((each) => (each.status === 'fulfilled' ? each.value[0]?.ratio : each.reason.code))).toEqual(
      asked.map((_, by) => (by % 20 === 0 ? '22012' : Math.floor(12 / (by % 20)))),
    );
    relay.cut();
    expect(await ratio(database.read, { by: 4, name: 'a' }).catch(() => ratio(database.read, { by: 4, name: 'a' }))).toEqual([
      { ratio: 3 },
    ]);
  });

  it('reads numbers for counts, sums and truths, as SQLite has them', async () => {
    await add('a');
    const row = await database.read
      .selectFrom('things')
      .select((each) => [
        each.fn.countAll<number>().as('rows'),
        each.fn.sum<number>('count').as('sum'),
        sql<number>`max(name) = 'a'`.as('isTrue'),
        sql<number>`max(name) = 'b'`.as('isFalse'),
      ])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ rows: 1, sum: 0, isTrue: 1, isFalse: 0 });
  });
});
