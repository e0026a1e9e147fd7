// Processes that work on one ledger in PostgreSQL: each has a name that is its own, and writes nothing when it has lost it.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AppError } from '#domain/error.ts';
import type { Database } from '#engines/database.ts';
import { openPostgres } from '#engines/postgres/postgres.ts';
import { integer, key, type TablesOf, text } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { manualClock } from '../support/clock.ts';
import { hasPostgres, newPostgresDatabase, newSchema, type PostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { defectivePostgres } from '../support/stand-in/defective.ts';
import { eventually, until } from '../support/until.ts';

const schema = { version: 1, tables: { things: { columns: { id: key(), name: text(), at: integer() } } } } as const;

type Tables = TablesOf<typeof schema>;

interface Process {
  readonly database: Database<Tables>;
  readonly relay: Relay;
  /** Why it has ended itself. */
  readonly ended: AppError[];
}

/** Its time is over at once: nobody waits for a name that stays taken. */
function hurried(): Clock {
  let now = systemClock.now();
  return { ...systemClock, now: () => (now += 2_000) };
}

/** Moved by hand; `waitedFor` resolves when somebody waits for it since then. */
function watchedClock() {
  const clock = manualClock(systemClock.now());
  let waits = 0;
  return {
    ...clock,
    after(delayMs: number, call: () => void) {
      waits++;
      return clock.after(delayMs, call);
    },
    async waitedFor(begin: () => unknown): Promise<void> {
      const before = waits;
      await begin();
      await until('somebody to wait', () => waits > before);
    },
  };
}

describe.runIf(hasPostgres)('a process on PostgreSQL', () => {
  let held: PostgresDatabase;
  let place: PostgresDatabase['place'];
  beforeAll(async () => {
    held = await newPostgresDatabase();
  });
  afterAll(() => held[Symbol.asyncDispose]());
  beforeEach(() => {
    place = { ...held.place, schema: newSchema() };
  });

  /** Each reaches the server by a way of its own. */
  async function start(process: string, open = openPostgres, clock: Clock = systemClock): Promise<Process> {
    const relay = await startRelay(await sharedPostgres());
    const ended: AppError[] = [];
    const database = await open({ ...place, host: relay.host, port: relay.port, process }, schema, {
      clock,
      end: async (error) => {
        ended.push(error);
        throw error;
      },
    });
    onTestFinished(() => database.close());
    return { database, relay, ended };
  }

  const always = async () => true;
  const add = ({ database }: Process, name: string) =>
    database.write([], async (rows) => void (await rows.insertInto('things').values({ name, at: 0 }).execute()));
  const names = async ({ database }: Process) =>
    (await database.read.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);
  const endSessionsOf = (process: string) =>
    held.administer(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'dropgate ${process}'`);
  const failing = async (_: string): Promise<never> => {
    throw new Error('no answer');
  };
  const sessionsNamed = (process: string) =>
    held.administer(`select pid from pg_stat_activity where application_name = 'dropgate ${process}' order by pid`);

  it('has its name until it ends', async () => {
    const one = await start('one');
    const other = await openPostgres({ ...place, process: 'other' }, schema, { clock: hurried() });
    onTestFinished(() => other.close());
    expect(await one.database.claim('name', always)).toBe(true);
    expect(await other.claim('name', always)).toBe(false);
    await one.database.close();
    expect(await other.claim('name', always)).toBe(true);
  });

  it('reads and writes on while it takes its name, over the sessions that it has', async () => {
    const { database } = await start('eight');
    const work = () =>
      Promise.all([
        database.read.selectFrom('things').select('name').execute(),
        database.write([], async (rows) => void (await rows.insertInto('things').values({ name: 'a', at: 0 }).execute())),
      ]);
    const pids = async () => (await sessionsNamed('eight')).rows;
    await Promise.all(Array.from({ length: 5 }, work));
    const before = await pids();
    let isTaken = false;
    const working = Array.from({ length: 5 }, async () => {
      while (!isTaken) await work();
    });
    expect(await database.claim('name', always)).toBe(true);
    isTaken = true;
    await Promise.all(working);
    expect(await pids()).toEqual(expect.arrayContaining(before));
  });

  it('takes its name again when its connections break, and writes on', async () => {
    const one = await start('two');
    await one.database.claim('name', always);
    one.relay.cut();
    await add(one, 'a');
    await endSessionsOf('two');
    await add(one, 'b');
    expect(await names(one)).toEqual(['a', 'b']);
    const other = await openPostgres({ ...place, process: 'other' }, schema, { clock: hurried() });
    onTestFinished(() => other.close());
    expect(await other.claim('name', always)).toBe(false);
    expect(one.ended).toEqual([]);
  });

  it('whose server has not noticed that its connections are lost has its name again all the same', async () => {
    const one = await start('three');
    await one.database.claim('name', always);
    await add(one, 'a');
    one.relay.cutProcesses();
    await add(one, 'b');
    await eventually(async () => expect((await sessionsNamed('three')).rows.length).toBeGreaterThan(0));
    expect(one.ended).toEqual([]);
  });

  /** Another has its name, as it lives and as it is cut off; then it comes back, and writes. */
  async function outlived(process: string, open?: typeof openPostgres) {
    const one = await start(process, open);
    const other = await start('other', open);
    await one.database.claim(process, always);
    await other.database.claim('other', always);
    const whileItLived = await other.database.outlive(process, false);
    const { target } = one.relay;
    one.relay.target = null;
    expect(await other.database.outlive(process, true)).toBe(true);
    one.relay.target = target;
    const failure = await add(one, 'a').then(
      () => null,
      (error: unknown) => error,
    );
    return { whileItLived, failure, ended: one.ended, written: await names(other) };
  }

  it('ends, and writes nothing more, when another has its name', async () => {
    const { whileItLived, failure, ended, written } = await outlived('four');
    expect(whileItLived).toBe(false);
    expect(failure).toMatchObject({ code: expect.stringMatching(/locked|storage/) });
    await eventually(() => expect(ended[0]?.message).toContain('has taken over'));
    expect(written).toEqual([]);
  });

  it.each([
    {
      what: 'no fence: writes do not look whether the name is lost',
      defect: { file: 'postgres/postgres.ts', from: 'scopes, this.#claim.lock)', to: 'scopes, null)' },
    },
    {
      what: 'no lock of the name at a takeover',
      defect: { file: 'postgres/claim.ts', from: 'if (!(await this.#try(SHARE, name))) return false;', to: '' },
    },
  ])('a seeded defect is found: $what', async ({ defect }) => {
    expect(await outlived('nine', await defectivePostgres(defect))).toMatchObject({ failure: null, written: ['a'] });
  });

  /** What another finds while it has no session, having come back to the server before it. */
  async function foundWhileAway(process: string, open?: typeof openPostgres) {
    const clock = watchedClock();
    const one = await start(process, open);
    const other = await start('other', open, clock);
    await one.database.claim(process, always);
    await other.database.claim('other', always);
    const { target } = one.relay;
    one.relay.target = null;
    await endSessionsOf(process);
    const hasEnded = other.database.outlive(process, false);
    await Promise.race([hasEnded, clock.waitedFor(() => {})]);
    one.relay.target = target;
    const hasWritten = add(one, 'a').then(
      () => true,
      () => false,
    );
    if (await hasWritten) clock.advance(60_000);
    return { hasEnded: await hasEnded, hasWritten: await hasWritten, ended: one.ended };
  }

  it('lives on when another is back at the server before it', async () => {
    expect(await foundWhileAway('ten')).toEqual({ hasEnded: false, hasWritten: true, ended: [] });
  });

  it('a seeded defect is found: a name that is free once is free for good', async () => {
    const from = 'else if (!(await this.#staysFree(name))) return false;';
    const open = await defectivePostgres({ file: 'postgres/claim.ts', from, to: '' });
    expect(await foundWhileAway('eleven', open)).toMatchObject({ hasEnded: true, hasWritten: false });
  });

  it('has ended when its name stays free', async () => {
    const clock = watchedClock();
    const other = await start('other', openPostgres, clock);
    await other.database.claim('other', always);
    const hasEnded = other.database.outlive('twelve', false);
    await clock.waitedFor(() => {});
    clock.advance(60_000);
    expect(await hasEnded).toBe(true);
  });

  it('has its name again, too, when it asks for that of another meanwhile', async () => {
    const clock = watchedClock();
    const one = await start('thirteen', openPostgres, clock);
    await one.database.claim('thirteen', always);
    const { target } = one.relay;
    one.relay.target = null;
    await clock.waitedFor(() => endSessionsOf('thirteen'));
    one.relay.target = target;
    expect(await one.database.outlive('nobody', true)).toBe(true);
    const other = await start('other', openPostgres, hurried());
    expect(await other.database.claim('thirteen', always)).toBe(false);
  });

  it('shares a name with others, which nobody has alone, also after its connections broke', async () => {
    for (const process of ['fourteen', 'fifteen']) {
      const one = await start(process);
      expect(await one.database.claim(process, always, { name: 'all', isAlone: false })).toBe(true);
      one.relay.cut();
      await add(one, 'a');
    }
    const other = await start('other', openPostgres, hurried());
    expect(await other.database.claim('other', always, { name: 'all', isAlone: true })).toBe(false);
  });

  /** Two that share a name, the first one for longer. */
  async function sharing(...processes: [string, string]): Promise<[Process, Process]> {
    const [one, other] = [await start(processes[0]), await start(processes[1])];
    await one.database.claim(processes[0], always, { name: 'all', isAlone: false });
    await other.database.claim(processes[1], always, { name: 'all', isAlone: false });
    return [one, other];
  }
  const areFirst = (processes: readonly Process[], silentMs = 3_600_000) =>
    Promise.all(processes.map(({ database }) => database.isFirst(silentMs)));

  it('is the first of those that share a name until its connections break: then it is the last', async () => {
    const both = await sharing('twenty-five', 'twenty-six');
    expect(await areFirst(both)).toEqual([true, false]);
    both[0].relay.cut();
    await add(both[0], 'a');
    expect(await areFirst(both)).toEqual([false, true]);
    await both[1].database.close();
    expect(await areFirst(both.slice(0, 1))).toEqual([true]);
  });

  it('counts as the first of those that share a name no more when it has said nothing for too long', async () => {
    const [one, other] = await sharing('twenty-seven', 'twenty-eight');
    await until('its silence', () => other.database.isFirst(50));
    expect(await areFirst([other])).toEqual([false]);
    expect(await areFirst([one], 50)).toEqual([true]);
  });

  it('is the first where it has a name alone, or shares none', async () => {
    const one = await start('twenty-nine');
    expect(await areFirst([one])).toEqual([true]);
    await one.database.claim('twenty-nine', always, { name: 'all', isAlone: true });
    expect(await areFirst([one])).toEqual([true]);
    const other = await start('thirty');
    await other.database.claim('thirty', always);
    expect(await areFirst([other])).toEqual([true]);
  });

  it('is left alone by one that is opened for the same process', async () => {
    const one = await start('eighteen');
    await one.database.claim('eighteen', always);
    await add(one, 'a');
    const { rows } = await sessionsNamed('eighteen');
    const next = await openPostgres({ ...place, process: 'eighteen' }, schema);
    expect(await next.claim('another', always)).toBe(false);
    await next.close();
    await eventually(async () => expect((await sessionsNamed('eighteen')).rows).toEqual(rows));
    expect(one.ended).toEqual([]);
  });

  it('is another one in another database of the server', async () => {
    await using elsewhere = await newPostgresDatabase();
    const one = await start('twenty-two');
    await one.database.claim('twenty-two', always);
    const { rows } = await sessionsNamed('twenty-two');
    const other = await openPostgres({ ...elsewhere.place, process: 'twenty-two' }, schema, { clock: hurried() });
    expect(await other.claim('twenty-two', always)).toBe(true);
    await other.close();
    await eventually(async () => expect((await sessionsNamed('twenty-two')).rows).toEqual(rows));
  });

  it('has not ended before the last of its sessions has', { timeout: 60_000 }, async () => {
    const one = await start('sixteen');
    const other = await start('other');
    await other.database.claim('other', always);
    await add(one, 'a');
    const { rows } = await sessionsNamed('sixteen');
    const [{ pid }] = rows;
    // A process of the server that does not hear that it is to end.
    process.kill(pid, 'SIGSTOP');
    const whileItStood = await other.database.outlive('sixteen', true).finally(() => process.kill(pid, 'SIGCONT'));
    expect(whileItStood).toBe(false);
    expect(await other.database.outlive('sixteen', true)).toBe(true);
  });

  /** Another of its kind finds the common name free while it is away; then it comes back, and writes. */
  async function replaced(process: string, isAlone: boolean) {
    const one = await start(process);
    const other = await start('other');
    expect(await one.database.claim(process, always, { name: 'all', isAlone })).toBe(true);
    const { target } = one.relay;
    one.relay.target = null;
    await endSessionsOf(process);
    expect(await other.database.claim('other', always, { name: 'all', isAlone: true })).toBe(true);
    one.relay.target = target;
    return { one, other };
  }

  it.each([
    ['alone', 'nineteen', true],
    ['together with others', 'twenty', false],
  ])('ends, and writes nothing more, when another has the common name that it had %s', async (_, process, isAlone) => {
    const { one, other } = await replaced(process, isAlone);
    await expect(add(one, 'a')).rejects.toMatchObject({ code: expect.stringMatching(/locked|storage/) });
    await eventually(() => expect(one.ended[0]?.message).toContain('has taken over'));
    expect(await names(other)).toEqual([]);
  });

  it.each([
    ['what it asks before it takes it fails', 1, failing],
    ['what it asks after it has taken it fails', 2, failing],
    ['its connections break while it asks', 2, endSessionsOf],
  ])('has its name again, though nothing is written, and %s', async (what, at, fail) => {
    const process = `twenty-one ${what.length}`;
    const one = await start(process);
    let asked = 0;
    await one.database.claim(process, async () => {
      asked++;
      if (asked === at) await fail(process);
      return true;
    });
    await endSessionsOf(process);
    await until('it to be asked again', () => asked >= at + 2);
    const other = await start('other', openPostgres, hurried());
    expect(await other.database.claim(process, always)).toBe(false);
    expect(one.ended).toEqual([]);
  });

  it('has its name again when its own former session has ended, however long that takes', { timeout: 60_000 }, async () => {
    const name = 'twenty-three';
    const one = await start(name);
    let asked = 0;
    await one.database.claim(name, async () => {
      asked++;
      return true;
    });
    const holding = `select pid from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and application_name = 'dropgate ${name}'`;
    const [{ pid }] = (await held.administer(holding)).rows;
    const pids = async (): Promise<number[]> => (await sessionsNamed(name)).rows.map((session) => session.pid);
    const before = await pids();
    const tries = new Set<number>();
    // A process of the server that hears neither that its connection has ended nor that it is to end.
    process.kill(pid, 'SIGSTOP');
    try {
      one.relay.cutProcesses();
      await until('a second try', async () => {
        for (const pid of await pids()) if (!before.includes(pid)) tries.add(pid);
        return tries.size > 1;
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('it to have its name', () => asked === 2);
    expect(one.ended).toEqual([]);
  });

  it.each([
    ['has its name', false],
    ['takes its name again', true],
  ])('closes while it %s, though the server says nothing', async (what, isTaking) => {
    const { database, relay } = await start(`twenty-four ${what.length}`);
    const fallSilent = (): boolean => {
      relay.isSilent = true;
      relay.hidesEnds = true;
      return true;
    };
    await database.claim('name', async () => fallSilent());
    if (isTaking) relay.cut();
    else fallSilent();
    await until('silence', () => relay.isSilent);
    await database.close();
  });

  it('ends when it learns with its name that it is no longer what it was', async () => {
    const one = await start('five');
    let isStill = true;
    await one.database.claim('name', async () => isStill);
    isStill = false;
    one.relay.cut();
    await eventually(() => expect(one.ended).toHaveLength(1));
  });

  it('writes nothing between taking its name again and learning that it is no longer what it was', async () => {
    const one = await start('seventeen');
    let isStill = true;
    const writing = Promise.withResolvers<unknown>();
    await one.database.claim('name', async () => {
      if (isStill) return true;
      writing.resolve(add(one, 'late').catch((error: unknown) => error));
      const done = `select 1 from pg_stat_activity where application_name = 'dropgate seventeen' and state = 'idle' and query ~ 'rollback|commit'`;
      await until('the write to have been tried', async () => (await held.administer(done)).rows.length > 0);
      return false;
    });
    isStill = false;
    await endSessionsOf('seventeen');
    // The write may hear of it later, and end the process again, which goes on in a test.
    await eventually(() => expect(one.ended).not.toEqual([]));
    expect(await writing.promise).toMatchObject({ code: 'locked' });
    expect(await names(one)).toEqual([]);
  });

  it('that is known to have ended is over, whatever it was about to commit', async () => {
    const one = await start('six');
    const other = await start('other');
    await one.database.claim('six', always);
    await other.database.claim('other', always);
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const writing = one.database.write([], async (rows) => {
      await rows.insertInto('things').values({ name: 'late', at: 0 }).execute();
      resolve();
      await mayEnd;
      await sql`select 1`.execute(rows);
    });
    await written;
    one.relay.target = null;
    expect(await other.database.outlive('six', true)).toBe(true);
    end();
    await expect(writing).rejects.toThrow();
    expect(await names(other)).toEqual([]);
  });

  it('is the next one of its kind: what the one before has left is ended at once', async () => {
    const one = await start('seven');
    await one.database.claim('name', always);
    const { relay } = one;
    // It is killed, and PostgreSQL hears nothing of it.
    relay.target = null;
    relay.cutProcesses();
    const next = await openPostgres({ ...place, process: 'seven' }, schema, { clock: hurried() });
    onTestFinished(() => next.close());
    expect(await next.claim('name', always)).toBe(true);
  });
});
