// A server that takes what it is sent and says nothing: half a minute, as long as it takes until nobody waits any more.
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#engines/postgres/postgres.ts';
import { key, text } from '#engines/schema.ts';
import { hasPostgres, newPostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { startRelay } from '../support/relay.ts';

const schema = { version: 1, tables: { things: { columns: { id: key(), name: text() } } } } as const;

it.runIf(hasPostgres)(
  'a ledger in PostgreSQL is given up within half a minute when the server says nothing, and comes back by itself',
  async () => {
    const held = await newPostgresDatabase();
    onTestFinished(() => held[Symbol.asyncDispose]());
    const relay = await startRelay(await sharedPostgres());
    const database = await openPostgres({ ...held.place, host: relay.host, port: relay.port }, schema);
    onTestFinished(() => database.close());
    const add = (name: string) => database.write([], (rows) => rows.insertInto('things').values({ name }).execute());
    const names = async () => (await database.read.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);
    await add('before');
    relay.isSilent = true;
    const asked = performance.now();
    // More than there are connections.
    const during = [names(), ...Array.from({ length: 20 }, (_, at) => add(`during-${at}`))];
    for (const ended of await Promise.allSettled(during)) {
      expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'storage', facts: { retryAfterSeconds: 5 } } });
    }
    // Half a minute, and what a busy machine adds to it.
    expect(performance.now() - asked).toBeLessThan(45_000);
    relay.isSilent = false;
    await add('after');
    expect(await names()).toEqual(['before', 'after']);
  },
);
