// Where a ledger may be in PostgreSQL, what a server that cannot hold it is told, and what happens while it is away.
import { connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '#engines/database.ts';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { openPostgres, type PostgresOptions } from '#engines/postgres/postgres.ts';
import { key, type TablesOf, text } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { certified } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { LONG_MS } from '../support/patience.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startRelay } from '../support/relay.ts';

/** A startup message: its length, the version of the protocol, and pairs of texts, each with a zero behind it. */
function withoutOptions(startup: Buffer): Buffer {
  const texts = startup.toString('latin1', 8).split('\0');
  const at = texts.indexOf('options');
  const body = Buffer.from(texts.toSpliced(at, 2).join('\0'), 'latin1');
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeUInt32BE(head.length + body.length);
  return Buffer.concat([head, body]);
}

const schema = { version: 1, tables: { things: { columns: { id: key(), name: text() } } } } as const;

type Tables = TablesOf<typeof schema>;

describe.runIf(hasPostgres)('a ledger in PostgreSQL', () => {
  let held: PostgresDatabase;
  beforeEach(async () => {
    held = await newPostgresDatabase();
    onTestFinished(() => held[Symbol.asyncDispose]());
  });

  async function open(differs: Partial<PostgresPlace> = {}, options?: PostgresOptions): Promise<Database<Tables>> {
    const opened = await openPostgres({ ...held.place, ...differs }, schema, options);
    onTestFinished(() => opened.close());
    return opened;
  }

  const add = (database: Database<Tables>, name: string) =>
    database.write([], (rows) => rows.insertInto('things').values({ name }).execute());
  const names = async (database: Database<Tables>) =>
    (await database.read.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

  describe('is refused with what to do', () => {
    it.each<[string, () => Promise<Partial<PostgresPlace>>, string, string]>([
      ['when no server is there', async () => ({ port: await freePort() }), 'storage', 'start PostgreSQL, or mend database.url'],
      ['when there is no such socket', async () => ({ host: '/nowhere' }), 'storage', 'start PostgreSQL, or mend database.url'],
      ['for a wrong password', async () => ({ password: 'guessed' }), 'usage', 'mend database.password'],
      ['without a password', async () => ({ password: null }), 'usage', 'mend database.password'],
      ['when there is no such database', async () => ({ database: 'nothing' }), 'usage', 'create it with createdb'],
    ])('%s', async (_, differs, code, sentence) => {
      await expect(open(await differs())).rejects.toMatchObject({ code, message: expect.stringContaining(sentence) });
    });

    it('when the schema holds the tables of somebody else, and touches nothing', async () => {
      await held.administer(`create schema ${held.place.schema} authorization dropgate; create table ${held.place.schema}.theirs (a text)`);
      await expect(open()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('name a database of its own') });
      const { rows } = await held.administer(`select relname from pg_class where relnamespace = '${held.place.schema}'::regnamespace`);
      expect(rows).toEqual([{ relname: 'theirs' }]);
    });

    it('when a pooler in between drops what a session asks for', async () => {
      const { host, port } = await sharedPostgres();
      const pooler = createServer((process) => {
        const server = connect(port, host);
        process.once('data', (startup) => {
          server.write(withoutOptions(startup));
          process.pipe(server).pipe(process);
        });
        for (const socket of [process, server]) socket.on('error', () => {});
      });
      const at = await freePort();
      pooler.listen(at, '127.0.0.1');
      onTestFinished(() => void pooler.close());
      await expect(open({ port: at })).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('not a pooler') });
      const { rows } = await held.administer("select relname from pg_class where relnamespace = 'public'::regnamespace");
      expect(rows).toEqual([]);
    });

    it('when the role may not make its schema', async () => {
      await held.administer(`alter database ${held.place.database} owner to postgres`);
      await expect(open()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('make the role the owner') });
    });

    it('when the encoding is not UTF-8', async () => {
      await using latin = await newPostgresDatabase({ encoding: 'LATIN1' });
      const refused = open({ database: latin.place.database });
      await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('has the encoding LATIN1') });
    });

    it(
      'when what is committed is not on disk',
      async () => {
        await using lax = await startPostgres({ settings: { fsync: 'off' } });
        await using other = await newPostgresDatabase({ server: lax.server });
        await expect(open(other.place)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('set fsync = on') });
      },
      LONG_MS,
    );

    it.each([60_000, -60_000])('when the clocks are %i ms apart', async (ms) => {
      const clock: Clock = { ...systemClock, now: () => systemClock.now() + ms };
      await expect(open({}, { clock })).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('60 s off') });
      await open({}, { clock: { ...systemClock, now: () => systemClock.now() + Math.sign(ms) * 1_000 } });
    });
  });

  describe('over TLS', () => {
    it('is reached when the certificate names the host', async () => {
      const { authority } = await sharedPostgres();
      const database = await open({ isEncrypted: true, ca: authority });
      await add(database, 'a');
      const { rows } = await held.administer(
        `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'dropgate' and datname = current_database()`,
      );
      expect(rows).toEqual([{ ssl: true }]);
    });

    it('is refused when another authority certifies it, and when nobody has named one', async () => {
      const { certificate } = certified({ name: 'Other', kind: 'ec', isAuthority: true });
      for (const ca of [certificate, null]) {
        const refused = open({ isEncrypted: true, ca });
        await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('certificate that is not trusted') });
      }
    });

    it('is refused when the certificate is for another host', async () => {
      const { authority } = await sharedPostgres();
      const { host, port } = await startRelay(await sharedPostgres(), '127.0.0.2');
      const refused = open({ host, port, isEncrypted: true, ca: authority });
      await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('not made for this host') });
    });

    it('is refused, and the password not told, when the server speaks none', async () => {
      const port = await freePort();
      const said: Buffer[] = [];
      const plain = createServer((socket) => socket.on('data', (bytes) => void (said.push(bytes) && socket.write('N')))).listen(
        port,
        '127.0.0.1',
      );
      onTestFinished(() => void plain.close());
      const refused = open({ port, isEncrypted: true });
      await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('does not speak TLS') });
      // The request for TLS alone.
      expect(Buffer.concat(said)).toHaveLength(8);
    });
  });

  it('rejects what is read and written while the server is away, and comes back by itself', async () => {
    const relay = await startRelay(await sharedPostgres());
    const { host, port, target } = relay;
    const database = await open({ host, port });
    await Promise.all(['a', 'b', 'c'].map((name) => add(database, name)));
    relay.target = null;
    relay.cut();
    for (const ask of [() => add(database, 'lost'), () => names(database)]) {
      await expect(ask()).rejects.toMatchObject({ code: 'storage', message: 'The database does not answer; try again later.' });
    }
    relay.target = target;
    await add(database, 'd');
    expect((await names(database)).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('waits for the disk at each commit, where the database is set up not to', async () => {
    await held.administer(`alter database ${held.place.database} set synchronous_commit = off`);
    const database = await open();
    const asked = () => sql<{ setting: string }>`select current_setting('synchronous_commit') as setting`;
    expect(await database.write([], async (rows) => (await asked().execute(rows)).rows)).toEqual([{ setting: 'on' }]);
  });

  it('goes on over new connections when the server has ended the old ones', async () => {
    const database = await open();
    await Promise.all(['a', 'b', 'c'].map((name) => add(database, name)));
    await held.administer(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'dropgate' and datname = current_database()`,
    );
    await Promise.all(['d', 'e', 'f'].map((name) => add(database, name)));
    expect((await names(database)).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('is no larger than its pool for the server, whatever is asked at once', async () => {
    const database = await open({ connectionsMax: 2 });
    await Promise.all(Array.from({ length: 40 }, (_, at) => Promise.all([add(database, `n${at}`), names(database)])));
    const { rows } = await held.administer(
      `select count(*)::int as connections from pg_stat_activity where usename = 'dropgate' and datname = current_database()`,
    );
    expect(rows[0].connections).toBe(4);
    expect(await names(database)).toHaveLength(40);
  });
});
