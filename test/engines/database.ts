// What the ledgers rely on in a database, told through the seam alone: every engine is held to it.
import { type Kysely, sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { contains } from '#engines/contains.ts';
import type { Database, Scope } from '#engines/database.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import { blob, integer, key, nullable, preset, refers, type Schema, type TablesOf, text } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { manualClock } from '../support/clock.ts';

const schema = {
  version: 3,
  tables: {
    things: {
      columns: {
        id: key(),
        name: text(),
        count: preset(integer(), 7),
        bytes: nullable(blob()),
      },
      uniques: { things_name: '(name)' },
      indexes: { things_without_bytes: '(name) where bytes is null' },
    },
    parts: {
      columns: { thing: refers(integer(), 'things (id) on delete cascade'), part: text() },
      primaryKey: '(thing, part)',
    },
  },
} as const;

type Tables = TablesOf<typeof schema>;
type Rows = Kysely<Tables>;

/** Where an engine keeps one database; it may be opened more than once, as by several processes. */
export interface Place extends AsyncDisposable {
  open<Declared extends Schema>(declared: Declared, clock: Clock): Promise<Database<TablesOf<Declared>>>;
}

async function disposable(made: Promise<Place>): Promise<Place> {
  const place = await made;
  onTestFinished(() => place[Symbol.asyncDispose]());
  return place;
}

export function expectOfDatabase(engine: string, newPlace: () => Promise<Place>): void {
  describe(`the database of ${engine}`, () => {
    let place: Place;
    let database: Database<Tables>;
    const open = async (clock = systemClock): Promise<Database<Tables>> => {
      const opened = await place.open(schema, clock);
      onTestFinished(() => opened.close());
      return opened;
    };
    beforeEach(async () => {
      place = await disposable(newPlace());
      database = await open();
    });

    const insert = (rows: Rows, name: string) => rows.insertInto('things').values({ name }).execute();
    const add = (name: string, scopes: readonly Scope[] = []) => database.write(scopes, (rows) => insert(rows, name));
    const names = async (rows: Rows = database.read): Promise<string[]> =>
      (await rows.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

    it('has one process, which is the first of its kind', async () => {
      expect(await database.isConnected('another')).toBe(false);
      expect(await database.isFirst(1)).toBe(true);
      await database.claim('one', async () => true, { name: 'all', isAlone: false });
      expect(await database.isFirst(1)).toBe(true);
    });

    describe('a scan', () => {
      it('sees what is committed, and nothing else', async () => {
        await add('a');
        const during = await database.write([], async (rows) => {
          await insert(rows, 'b');
          return names(database.scan);
        });
        expect(during).toEqual(['a']);
        expect(await names(database.scan)).toEqual(['a', 'b']);
      });

      it('leaves the event loop to others while it goes through many rows', async () => {
        const numbers = sql<{ n: number }>`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000000)
          select count(*) as n from numbers`;
        await names(database.scan);
        let turns = 0;
        const counting = setInterval(() => turns++, 1);
        const { rows } = await numbers.execute(database.scan).finally(() => clearInterval(counting));
        expect(rows).toEqual([{ n: 2_000_000 }]);
        expect(turns).toBeGreaterThan(10);
      });

      it('that the database refuses fails alone', async () => {
        await add('a');
        const wrong = sql`select nothing from nowhere`.execute(database.scan);
        const [failed, found] = await Promise.allSettled([wrong, names(database.scan)]);
        expect(failed.status).toBe('rejected');
        expect(found).toMatchObject({ value: ['a'] });
      });
    });

    describe('a write', () => {
      it('resolves with the result of its work, and is committed then: another process sees it', async () => {
        const other = await open();
        expect(await database.write([], (rows) => rows.insertInto('things').values({ name: 'a' }).returning('name').execute())).toEqual([
          { name: 'a' },
        ]);
        expect(await names(other.read)).toEqual(['a']);
      });

      it('is seen by nobody else before it is committed', async () => {
        const other = await open();
        const during = await database.write([], async (rows) => {
          await insert(rows, 'a');
          return [await names(rows), await names(), await names(other.read)];
        });
        expect(during).toEqual([['a'], [], []]);
      });

      it('that rejects was not committed, whether it was alone or beside others', async () => {
        const failing = () =>
          database.write(['home a'], async (rows) => {
            await insert(rows, 'undone');
            throw new Error('changed my mind');
          });
        await expect(failing()).rejects.toThrow('changed my mind');
        const results = await Promise.allSettled([add('one', ['home a']), failing(), add('three', ['home a']), add('one', ['home a'])]);
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
        expect(await names()).toEqual(['one', 'three']);
      });

      it('that throws nothing rejects all the same', async () => {
        await expect(database.write([], () => Promise.reject(undefined))).rejects.toThrow('a write failed without a reason');
      });

      it('runs in the order in which it was asked for, among those with a scope in common', async () => {
        const order: number[] = [];
        await Promise.all([0, 1, 2].map((each) => database.write(['home a'], async () => void order.push(each))));
        expect(order).toEqual([0, 1, 2]);
      });

      it.each<[string, Scope[], Scope[]]>([
        ['equal scopes', ['home a'], ['home a']],
        ['crossing scopes', ['home a', 'account b'], ['account b', 'home a']],
        ['one scope in common', ['home a', 'administration'], ['account b', 'administration']],
      ])('sees what all before it have written, those of another process as well: %s', async (_, ours, theirs) => {
        const other = await open();
        await add('counter');
        const raise = (by: Database<Tables>, scopes: readonly Scope[]) =>
          by.write(scopes, async (rows) => {
            const { count } = await rows.selectFrom('things').select('count').executeTakeFirstOrThrow();
            await rows
              .updateTable('things')
              .set({ count: count + 1 })
              .execute();
          });
        await Promise.all(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? raise(database, ours) : raise(other, theirs))));
        expect(await database.read.selectFrom('things').select('count').execute()).toEqual([{ count: 67 }]);
      });

      it('is counted by its commit, which it may share', async () => {
        const before = database.commits;
        await Promise.all(Array.from({ length: 20 }, (_, index) => add(`n${index}`)));
        expect(database.commits).toBeGreaterThan(before);
        expect(database.commits).toBeLessThanOrEqual(before + 20);
      });

      it('that may wait does so a second at the most, and others wait for no clock', async () => {
        const clock = manualClock();
        const patient = await open(clock);
        const one = patient.write([], (rows) => insert(rows, 'one'), 'soon');
        await patient.write([], (rows) => insert(rows, 'two'));
        clock.advance(1_000);
        await one;
        expect((await names()).sort()).toEqual(['one', 'two']);
      });

      it('that waits is committed by close; later ones are refused', async () => {
        const closing = await open();
        const written = [closing.write([], (rows) => insert(rows, 'late')), closing.write([], (rows) => insert(rows, 'later'), 'soon')];
        await closing.close();
        await Promise.all(written);
        expect((await names()).sort()).toEqual(['late', 'later']);
        await expect(closing.write([], (rows) => insert(rows, 'too late'))).rejects.toThrow();
        expect(await names()).toHaveLength(2);
      });
    });

    it('what is read cannot be written', async () => {
      await expect(insert(database.read, 'a')).rejects.toThrow();
    });

    describe('a column', () => {
      it.each<Partial<{ name: string; count: number; bytes: Uint8Array | null }>>([
        { name: '' },
        { name: 'å 漢 😀 \n \' " \\ %' },
        { count: Number.MAX_SAFE_INTEGER },
        { count: -Number.MAX_SAFE_INTEGER },
        { count: Date.parse('2100-01-01') },
        { bytes: null },
        { bytes: new Uint8Array() },
        { bytes: new Uint8Array([0, 255, 0]) },
      ])('holds %j', async (value) => {
        await database.write([], (rows) =>
          rows
            .insertInto('things')
            .values({ name: 'x', ...value })
            .execute(),
        );
        const row = await database.read.selectFrom('things').select(['name', 'count', 'bytes']).executeTakeFirstOrThrow();
        expect({ ...row, bytes: row.bytes && new Uint8Array(row.bytes) }).toEqual({ name: 'x', count: 7, bytes: null, ...value });
      });

      it('holds 20 million bytes', async () => {
        const bytes = new Uint8Array(20_000_000).fill(7);
        await database.write([], (rows) => rows.insertInto('things').values({ name: 'x', bytes }).execute());
        const row = await database.read.selectFrom('things').select('bytes').executeTakeFirstOrThrow();
        expect(Buffer.compare(row.bytes ?? new Uint8Array(), bytes)).toBe(0);
      });

      it.each([true, 1n, new Date(), { a: 1 }])('holds no %o', async (value) => {
        const refused = database.write([], (rows) => sql`insert into things (name) values (${value})`.execute(rows));
        await expect(refused).rejects.toThrow('portable column');
      });

      it('that is not to be null refuses it, and one that is to be unique what is there', async () => {
        const nameless = database.write([], (rows) => sql`insert into things (name) values (${null})`.execute(rows));
        await expect(nameless).rejects.toThrow();
        await add('a');
        await expect(add('a')).rejects.toThrow();
      });

      it('that refers to another refuses what is not there, and goes with what is deleted', async () => {
        const part = (thing: number) => database.write([], (rows) => rows.insertInto('parts').values({ thing, part: 'p' }).execute());
        await expect(part(99)).rejects.toThrow();
        const { id } = await database.write([], (rows) =>
          rows.insertInto('things').values({ name: 'a' }).returning('id').executeTakeFirstOrThrow(),
        );
        await part(id);
        await database.write([], (rows) => rows.deleteFrom('things').execute());
        expect(await database.read.selectFrom('parts').selectAll().execute()).toEqual([]);
      });

      it('that is a key goes upwards, and no number comes again', async () => {
        const ids: number[] = [];
        for (const name of ['a', 'b', 'c']) {
          const row = await database.write([], async (rows) => {
            await rows.deleteFrom('things').execute();
            return rows.insertInto('things').values({ name }).returning('id').executeTakeFirstOrThrow();
          });
          ids.push(row.id);
        }
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      });
    });

    describe('text', () => {
      it('sorts by its bytes', async () => {
        const sorted = ['', ' ', '-', 'A', 'B', 'Z', '_', 'a', 'b', 'ab', 'å', 'ä', '漢', '😀'].sort((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        for (const name of sorted.toReversed()) await add(name);
        const found = await database.read.selectFrom('things').select('name').orderBy('name').execute();
        expect(found.map(({ name }) => name)).toEqual(sorted);
        const after = await database.read.selectFrom('things').select('name').where('name', '>', 'Z').orderBy('name').execute();
        expect(after.map(({ name }) => name)).toEqual(sorted.slice(sorted.indexOf('Z') + 1));
      });

      it('is found by what it contains, a to z in either case; all other characters stand for themselves', async () => {
        for (const name of ['Invoice_1.xml', 'invoice 1.xml', 'order.xml', 'INVOICE_2.XML', 'Ä', '50 % \\']) await add(name);
        const found = async (text: string) => {
          const rows = await database.read
            .selectFrom('things')
            .select('name')
            .where((each) => contains(each.ref('name'), text))
            .orderBy('name')
            .execute();
          return rows.map(({ name }) => name);
        };
        expect(await found('.xml')).toEqual(['INVOICE_2.XML', 'Invoice_1.xml', 'invoice 1.xml', 'order.xml']);
        expect(await found('Invoice 1')).toEqual(['invoice 1.xml']);
        expect(await found('invoice_')).toEqual(['INVOICE_2.XML', 'Invoice_1.xml']);
        expect(await found('%')).toEqual(['50 % \\']);
        expect(await found('\\')).toEqual(['50 % \\']);
        expect(await found('Ä')).toEqual(['Ä']);
        expect(await found('ä')).toEqual([]);
      });
    });

    it('an empty list has nothing in it: none is among its values, and each is not', async () => {
      await add('one');
      const things = database.read.selectFrom('things').select('name');
      expect(await things.where('name', 'in', []).execute()).toEqual([]);
      expect(await things.where('id', 'not in', []).where('bytes', 'not in', []).execute()).toEqual([{ name: 'one' }]);
    });

    describe('a query that is prepared', () => {
      const named = prepared((rows: Rows, slot) =>
        rows.selectFrom('things').select(['name', 'count']).where('name', '=', slot<string>('name')).where('name', '!=', 'x').limit(1),
      );

      it('is compiled once, and takes new values at every run', async () => {
        let built = 0;
        const newThing = prepared((rows: Rows, slot) => {
          built++;
          return rows
            .insertInto('things')
            .values({ name: slot<string>('name'), count: slot<number>('count') })
            .onConflict((conflict) => conflict.doNothing())
            .returning('name');
        });
        const made = await database.write([], async (rows) => [
          await newThing(rows, { name: 'a', count: 1 }),
          await newThing(rows, { count: 2, name: 'b' }),
          await newThing(rows, { count: 3, name: 'b' }),
        ]);
        expect(made).toEqual([[{ name: 'a' }], [{ name: 'b' }], []]);
        expect(built).toBe(1);
        expect(await named(database.read, { name: 'a' })).toEqual([{ name: 'a', count: 1 }]);
        expect(await named(database.read, { name: 'b' })).toEqual([{ name: 'b', count: 2 }]);
        await expect(named(database.read, { nome: 'a' })).rejects.toThrow('the query needs a value for name');
      });

      it('sees what its transaction has changed, and everybody else what is committed', async () => {
        await add('a');
        const both = () =>
          database.write([], async (rows) => {
            await rows
              .updateTable('things')
              .set((e) => ({ count: e('count', '+', 1) }))
              .execute();
            return [await named(rows, { name: 'a' }), await named(database.read, { name: 'a' })].map(([row]) => row?.count);
          });
        expect(await both()).toEqual([8, 7]);
        expect(await both()).toEqual([9, 8]);
        expect(await named(database.read, { name: 'a' })).toEqual([{ name: 'a', count: 9 }]);
      });

      it('tells of a change how many rows it was', async () => {
        const raise = preparedChange((rows: Rows, slot) =>
          rows.updateTable('things').set({ count: 2 }).where('count', '=', slot<number>('from')),
        );
        for (const name of ['a', 'b']) await add(name);
        await database.write([], async (rows) => {
          expect(await raise(rows, { from: 7 })).toBe(2);
          expect(await raise(rows, { from: 7 })).toBe(0);
        });
      });
    });

    describe('the schema', () => {
      it('is made once, by whoever comes first', async () => {
        place = await disposable(newPlace());
        const [first, second] = await Promise.all([open(), open()]);
        await first?.write([], (rows) => insert(rows, 'a'));
        expect(await names(second?.read)).toEqual(['a']);
      });

      it.each([
        [2, 'was made by a later version of Dropgate'],
        [4, 'was made by an earlier version of Dropgate'],
      ])('of version 3 is refused by one that knows %i, and nothing is changed', async (version, sentence) => {
        await add('a');
        await expect(place.open({ ...schema, version }, systemClock)).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining(sentence),
        });
        expect(await names()).toEqual(['a']);
        await add('b');
      });
    });
  });
}
