// Documents of one account to one receiver go one at a time, in the order of their arrival, and hold up nobody else.
import { readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { setServed } from '#gateway/operate/account-rules.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import { isOn } from '../../../support/engine.ts';
import { placeOf } from '../../../support/ledger-places.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { queries } from '../../../support/queries.ts';
import { created, type Seen } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { ledgerFile } from '../../../support/world/ledger-files.ts';
import { scripted, standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const SECOND_SENDER = '0088:7350000000031';
const BUSY = '0088:7350000000017';
const OTHER = '0088:7350000000024';

const numberIn = ({ body }: Seen): string => /<cbc:ID>([A-Z]+-\d+)</.exec(body.toString())?.[1] ?? '';

/** A service that answers each create when `answer` says so. */
async function start(settings = {}) {
  const waiting = new Map<string, () => void>();
  const open = new Set<string>();
  const sent: string[] = [];
  let together = 0;
  const world = await startWorld(
    scripted(async (seen) => {
      if (seen.method !== 'POST') return { status: 204 };
      const number = numberIn(seen);
      sent.push(number);
      open.add(number);
      together = Math.max(together, [...open].filter((each) => each.startsWith('B-')).length);
      await new Promise<void>((resolve) => waiting.set(number, resolve));
      open.delete(number);
      return created();
    }),
    { accounts: { [ACCOUNT]: 'key', 'beta-as': 'key' }, settings },
  );
  const { service } = world;
  const drop = (id: string, receiver: string, sender?: string): Promise<string> =>
    world.drop(ACCOUNT, `${id}.xml`, invoice({ id, receiver, ...(sender && { sender }) }));
  return {
    world,
    service,
    sent,
    together: () => together,
    drop,
    /** The service answers. */
    async answer(number: string): Promise<void> {
      (await until(`${number} at the service`, () => waiting.get(number)))();
    },
  };
}

/** How many items say that they wait for another one. */
async function toldToWait(world: World): Promise<number> {
  return (await world.items()).filter(({ reason }) => reason === 'waits for its turn').length;
}

const stagesOf = (world: World, id: string): string[] => world.stages(ACCOUNT, `${id}.xml`);

it('many to one receiver go one at a time, in order, without a row for each that waits; those to others pass them by', async () => {
  const { world, sent, together, drop, answer } = await start();
  const busy = Array.from({ length: 30 }, (_, at) => `B-${at}`);
  for (const id of busy) await drop(id, BUSY);
  for (const id of ['O-1', 'O-2']) await drop(id, OTHER);
  await answer('O-1');
  await answer('O-2');
  await world.receipt(ACCOUNT, 'O-2.xml', 'accepted');
  expect(sent.filter((number) => number.startsWith('B-'))).toEqual(['B-0']);
  expect(await toldToWait(world)).toBe(0);
  for (const id of busy) await answer(id);
  await until('all receipts', () => busy.every((id) => stagesOf(world, id).includes('accepted')));
  expect(sent.filter((number) => number.startsWith('B-'))).toEqual(busy);
  expect(together()).toBe(1);
});

it('what eight lanes drop, each as soon as its last drop is taken, goes in the order of the drops', async () => {
  const [LANES, DROPS] = [8, 200];
  const sent: string[] = [];
  const open = new Set<string>();
  const together: [string, string][] = [];
  const world = await startWorld(
    scripted(async (seen) => {
      if (seen.method !== 'POST') return { status: 204 };
      const number = numberIn(seen);
      sent.push(number);
      for (const other of open) together.push([other, number]);
      open.add(number);
      await new Promise((turn) => setImmediate(turn));
      open.delete(number);
      return created();
    }),
  );
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  let moment = 0;
  const lane = async (): Promise<void> => {
    while (begun.size < DROPS) {
      const id = `B-${begun.size}`;
      begun.set(id, moment++);
      await world.drop(ACCOUNT, `${id}.xml`, invoice({ id, receiver: BUSY }));
      ended.set(id, moment++);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await until('all at the service', () => sent.length === DROPS);
  // Late is a document that was sent after another whose drop began when its own had ended.
  let latest = 0;
  const late = sent.filter((id) => {
    latest = Math.max(latest, begun.get(id) ?? 0);
    return latest > (ended.get(id) ?? 0);
  });
  expect(late).toEqual([]);
  // One that was taken while a later one was already under way goes beside it: their drops overlapped, so neither had to be first.
  const isAfter = (id: string, other: string): boolean => (begun.get(id) ?? 0) > (ended.get(other) ?? 0);
  expect(together.filter(([one, other]) => isAfter(one, other) || isAfter(other, one))).toEqual([]);
}, 60_000);

it('with one slot for all of them nothing stands still', async () => {
  const { world, drop, answer } = await start({ submits: 1 });
  for (const id of ['B-0', 'B-1', 'B-2']) await drop(id, BUSY);
  for (const id of ['B-0', 'B-1', 'B-2']) await answer(id);
  await world.receipt(ACCOUNT, 'B-2.xml', 'accepted');
});

it('one that is cancelled while it waits holds up nobody behind it', async () => {
  const { world, sent, drop, answer } = await start();
  await drop('B-0', BUSY);
  const second = await drop('B-1', BUSY);
  await drop('B-2', BUSY);
  await until('the first at the service', () => sent.includes('B-0'));
  await world.operate((on) => cancelItem(on, second, false));
  await answer('B-0');
  await answer('B-2');
  await world.receipt(ACCOUNT, 'B-2.xml', 'accepted');
  expect(sent).toEqual(['B-0', 'B-2']);
});

it('behind one without an answer the others wait ten minutes in the ledger, then go before it', async () => {
  const { world, service, sent, drop } = await start();
  service.script = (seen) => {
    if (seen.method !== 'POST') return { status: 204 };
    sent.push(numberIn(seen));
    return numberIn(seen) === 'B-0' ? { status: 503, body: 'later' } : created();
  };
  for (const id of ['B-0', 'B-1', 'B-2']) await drop(id, BUSY);
  await until('both to be told', async () => (await toldToWait(world)) === 2);
  expect(new Set(sent)).toEqual(new Set(['B-0']));
  const beganMs = world.clock.now();
  await world.inTime('the last to be accepted', () => stagesOf(world, 'B-2').includes('accepted'), 15_000);
  expect(world.clock.now() - beganMs).toBeGreaterThan(8 * 60_000);
  expect(new Set(sent)).toEqual(new Set(['B-0', 'B-1', 'B-2']));
});

it('and when it was only late they follow it at once', async () => {
  const { world, service, sent, drop } = await start();
  let tries = 0;
  service.script = (seen) => {
    if (seen.method !== 'POST') return { status: 204 };
    sent.push(numberIn(seen));
    return numberIn(seen) === 'B-0' && tries++ === 0 ? { status: 503, body: 'later' } : created();
  };
  for (const id of ['B-0', 'B-1', 'B-2']) await drop(id, BUSY);
  await until('both to be told', async () => (await toldToWait(world)) === 2);
  const beganMs = world.clock.now();
  await world.inTime('the last to be accepted', () => stagesOf(world, 'B-2').includes('accepted'), 1_000);
  expect(world.clock.now() - beganMs).toBeLessThan(30_000);
  expect(sent).toEqual(['B-0', 'B-0', 'B-1', 'B-2']);
});

it('one that is let go before its time, and waits behind another sender’s, goes right after it', async () => {
  const { world, service, sent, drop, answer } = await start();
  const answering = service.script;
  const sick = new Map([
    ['B-0', 1],
    ['C-0', 2],
  ]);
  service.script = (seen) => {
    const number = numberIn(seen);
    const left = sick.get(number);
    if (left === undefined) return answering(seen);
    sick.set(number, left - 1);
    return left > 0 ? { status: 503, body: 'later' } : created();
  };
  await drop('B-0', BUSY);
  await drop('C-0', BUSY, SECOND_SENDER);
  await drop('B-1', BUSY);
  await drop('C-1', BUSY, SECOND_SENDER);
  await until('both to be told', async () => (await toldToWait(world)) === 2);
  await world.inTime('the first to be accepted', () => stagesOf(world, 'B-0').includes('accepted'), 1_000);
  await until('the next at the service', () => sent.includes('B-1'));
  await world.inTime('the other first', () => stagesOf(world, 'C-0').includes('accepted'), 1_000);
  expect(sent).toEqual(['B-1']);
  await answer('B-1');
  await answer('C-1');
  await world.receipt(ACCOUNT, 'C-1.xml', 'accepted');
});

it('one that has waited for its turn goes before those that came after it', async () => {
  const { world, service, sent, drop, answer } = await start({ submits: 1 });
  const answering = service.script;
  let sick = 1;
  service.script = (seen) => (seen.method === 'POST' && sick-- > 0 ? { status: 503, body: 'later' } : answering(seen));
  for (const id of ['B-0', 'B-1']) await drop(id, BUSY);
  await until('it to be told', async () => (await toldToWait(world)) === 1);
  await drop('O-1', OTHER);
  await until('another one at the service', () => sent.includes('O-1'));
  world.clock.advance(6_000);
  const later = Array.from({ length: 8 }, (_, at) => `L-${at}`);
  for (const [at, id] of later.entries()) await drop(id, `0088:73500000001${at}5`);
  for (const id of ['O-1', 'B-0']) await answer(id);
  // Until the ledger has told that it may go, one of the others may have begun.
  await until('the next ones', () => {
    for (const id of later) if (sent.includes(id)) void answer(id);
    return sent.includes('B-1');
  });
  expect(sent.length).toBeLessThan(6);
  await answer('B-1');
});

it('of long documents no more are read at once than fit into memory; short ones pass them by', async () => {
  // Answers are kept back while all these bytes are moved.
  const { world, sent, answer } = await start({ requestTimeout: LONG_MS });
  const long = Array.from({ length: 8 }, (_, at) => `L-${at}`);
  for (const [at, id] of long.entries()) {
    await world.drop(ACCOUNT, `${id}.xml`, invoiceOfSize(19_000_000, { id, receiver: `0088:73500000001${at}5` }));
  }
  await until('those that fit', () => sent.length === 7);
  // Meanwhile the eighth would have been read, if it was.
  for (let at = 0; at < 20; at++) {
    await world.drop('beta-as', `S-${at}.xml`, invoice({ id: `S-${at}` }));
    await answer(`S-${at}`);
    await world.receipt('beta-as', `S-${at}.xml`, 'accepted');
  }
  const longSent = (): number => sent.filter((number) => number.startsWith('L-')).length;
  expect(longSent()).toBe(7);
  await answer('L-0');
  await until('the next', () => longSent() === 8);
  for (const id of long.slice(1)) await answer(id);
  await world.receipt(ACCOUNT, 'L-7.xml', 'accepted');
}, 60_000);

it('what was dropped while the account was disabled goes in the order in which it came', async () => {
  const world = await startWorld(standIn());
  const { service } = world;
  const serve = (on: boolean): Promise<boolean> => world.administer((administration) => setServed(administration, ACCOUNT, on));
  await serve(false);
  await world.pass(5_000, 1_000);
  await world.drop(ACCOUNT, '1.xml', invoice({ id: 'O-1' }));
  await world.pass(30_000, 1_000);
  await world.drop(ACCOUNT, '2.xml', invoice({ id: 'O-2' }));
  await world.pass(35_000, 1_000);
  await serve(true);
  await world.passUntilDone(120_000, 1_000);
  expect(service.holding.all.map(({ documentId }) => documentId)).toEqual(['O-1', 'O-2']);
});

it.runIf(isOn('PostgreSQL', 'The order of what is served again while it is written that it is not'))(
  'what is served again while it is written that it is not goes before those that came after it',
  async () => {
    const world = await startWorld(standIn(), { accounts: { [ACCOUNT]: 'key', 'beta-as': 'key' } });
    const { service } = world;
    const serve = (on: boolean): Promise<boolean> => world.administer((administration) => setServed(administration, ACCOUNT, on));
    await serve(false);
    await world.pass(5_000, 1_000);
    const place = placeOf(ledgerFile(world.data));
    const holding = new pg.Client({ ...place, password: place?.password ?? '' });
    await holding.connect();
    await holding.query(`set search_path = ${place?.schema}; select pg_advisory_lock(1);
      create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
      create trigger held before update on items for each row when (new.reason = 'the account is disabled') execute function hold()`);
    await world.drop(ACCOUNT, '1.xml', invoice({ id: 'O-1' }));
    await until('it to be written', () => queries.underWay > 0);
    await serve(true);
    await world.gateway().refreshAccounts();
    await world.drop(ACCOUNT, '2.xml', invoice({ id: 'O-2' }));
    await world.drop('beta-as', '3.xml', invoice({ id: 'O-3' }));
    await until('another account’s to be sent', () => service.holding.all.length > 0);
    await holding.end();
    await world.passUntilDone(240_000, 1_000);
    expect(service.holding.all.map(({ documentId }) => documentId)).toEqual(['O-3', 'O-1', 'O-2']);
  },
);

it('one that could not be read at its first try goes before those that came after it', async () => {
  const world = await startWorld(standIn());
  const { service } = world;
  const serve = (on: boolean): Promise<boolean> => world.administer((administration) => setServed(administration, ACCOUNT, on));
  await serve(false);
  await world.pass(5_000, 1_000);
  for (const id of ['O-1', 'O-2']) await world.drop(ACCOUNT, `${id}.xml`, invoice({ id }));
  const spool = join(world.data, 'spool', ACCOUNT);
  const first = join(spool, readdirSync(spool).find((name) => name.includes('O-1')) ?? '');
  renameSync(first, `${first}.aside`);
  symlinkSync(`${first}.aside`, first);
  await serve(true);
  await until('its first try', async () => {
    await world.pass(1_000, 1_000);
    return (await world.items()).some(({ reason }) => reason === 'an internal error');
  });
  rmSync(first);
  renameSync(`${first}.aside`, first);
  // On a busy machine the tries come long after they are due.
  world.clock.advance(30_000);
  await world.passUntilDone(120_000, 1_000);
  expect(service.holding.all.map(({ documentId }) => documentId)).toEqual(['O-1', 'O-2']);
});

it('what comes while a home is taken up goes with what has waited for it, before any timer', async () => {
  const world = await startWorld(standIn());
  const drop = (id: string): Promise<string> => world.drop(ACCOUNT, `${id}.xml`, invoice({ id, receiver: OTHER }));
  await world.gateway().giveUp(ACCOUNT);
  for (let at = 0; at < 10; at++) await drop(`GONE-${at}`);
  // Each of these takes a commit of its own, so that others come meanwhile.
  const spool = join(world.data, 'spool', ACCOUNT);
  for (const name of readdirSync(spool)) rmSync(join(spool, name));
  const ids: string[] = [];
  let isTaken = false;
  const lane = async (): Promise<void> => {
    while (!isTaken) {
      const id = `B-${ids.length}`;
      ids.push(id);
      await drop(id);
    }
  };
  const lanes = [lane(), lane(), lane()];
  await world.gateway().takeUp(ACCOUNT);
  isTaken = true;
  await Promise.all(lanes);
  await until('all receipts', () => ids.every((id) => stagesOf(world, id).includes('accepted')));
});

it('those that are woken because the first one has to wait are not read again', async () => {
  const answered = Promise.withResolvers<void>();
  const sent: string[] = [];
  const world = await startWorld(
    scripted(async (seen) => {
      if (seen.method !== 'POST') return { status: 204 };
      sent.push(numberIn(seen));
      await answered.promise;
      return { status: 503 };
    }),
  );
  for (const id of ['B-0', 'B-1', 'B-2', 'B-3']) await world.drop(ACCOUNT, `${id}.xml`, invoice({ id, receiver: BUSY }));
  // Behind them in its account's turns: when it is at the service, they wait for the first one.
  await world.drop(ACCOUNT, 'O-1.xml', invoice({ id: 'O-1', receiver: OTHER }));
  await until('two at the service', () => sent.length === 2);
  const files = world.spooled(ACCOUNT).map((name) => join(world.data, 'spool', ACCOUNT, name));
  for (const file of files) utimesSync(file, 0, statSync(file).mtime);
  answered.resolve();
  await until('the second one to be told to wait', async () => (await toldToWait(world)) > 0);
  expect(sent).toEqual(['B-0', 'O-1']);
  expect(files.map((file) => statSync(file).atimeMs)).toEqual(files.map(() => 0));
});
