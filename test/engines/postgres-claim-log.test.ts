// A process that is cut off from its ledger in PostgreSQL says so, and when it is back, however often it tries in between.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '#engines/database.ts';
import { openPostgres } from '#engines/postgres/postgres.ts';
import { integer, key, type TablesOf } from '#engines/schema.ts';
import { openLog } from '#runtime/log.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const schema = { version: 1, tables: { things: { columns: { id: key(), at: integer() } } } } as const;

const NAME = 'named';

interface Process {
  readonly database: Database<TablesOf<typeof schema>>;
  readonly relay: Relay;
  readonly log: Readonly<Record<string, unknown>>[];
  /** How often it was asked whether it is what it was. */
  readonly asked: () => number;
}

describe.runIf(hasPostgres)('a process with a name on PostgreSQL', () => {
  let held: PostgresDatabase;
  beforeAll(async () => {
    held = await newPostgresDatabase();
  });
  afterAll(() => held[Symbol.asyncDispose]());

  async function start(): Promise<Process> {
    const relay = await startRelay(await sharedPostgres());
    const { host, port } = relay;
    const log: Process['log'] = [];
    const lines = openLog('info', { write: (line) => void log.push(JSON.parse(line)) });
    const database = await openPostgres({ ...held.place, host, port, process: NAME }, schema, { log: lines });
    onTestFinished(() => database.close());
    let asked = 0;
    const isStill = async (): Promise<boolean> => {
      asked++;
      return true;
    };
    expect(await database.claim(NAME, isStill)).toBe(true);
    return { database, relay, log, asked: () => asked };
  }

  const add = ({ database }: Process) =>
    database.write([], async (rows) => void (await rows.insertInto('things').values({ at: 0 }).execute()));

  it('says once that it cannot take it again, and why, and once that it has it, each time that it is cut off', async () => {
    const one = await start();
    const told = () => one.log.map(({ event }) => event);
    const { target } = one.relay;
    for (const time of [1, 2]) {
      const before = one.asked();
      one.relay.refused = 0;
      one.relay.target = null;
      one.relay.cut();
      await until('several tries', () => one.relay.refused > 3);
      expect(told()).toHaveLength(2 * time - 1);
      one.relay.target = target;
      await until('it to have its name', () => one.asked() > before + 1);
      await until('it to say so', () => told().length === 2 * time);
    }
    expect(told()).toEqual(['ledger.away', 'ledger.back', 'ledger.away', 'ledger.back']);
    const sentence = expect.stringMatching(/cut off from the database .*it writes nothing until it has its name there again/);
    expect(one.log[0]).toMatchObject({ level: 'warn', reason: expect.stringMatching(/./), sentence });
    expect(one.log[1]).toMatchObject({ level: 'info' });
    await add(one);
  });

  it('says nothing where it has it again at once', async () => {
    const one = await start();
    one.relay.cut();
    await add(one);
    expect(one.log).toEqual([]);
  });

  it('says nothing when it is closed while it is cut off', async () => {
    const one = await start();
    one.relay.isSilent = true;
    one.relay.cut();
    await one.database.close();
    expect(one.log).toEqual([]);
  });
});
