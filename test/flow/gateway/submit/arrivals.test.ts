// Items that are rung for come behind those that have to be queued before them, whatever has failed before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { KyselyPlugin } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '#domain/error.ts';
import { itemIds } from '#domain/id.ts';
import { insertItem, readItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import { Arrivals } from '#gateway/submit/arrivals.ts';
import { TakenElsewhere } from '#gateway/submit/taken-elsewhere.ts';
import { systemRandom } from '#runtime/clock.ts';
import { InOrder } from '#runtime/concurrency.ts';
import { manualClock } from '../../../support/clock.ts';

const HOME = 'acme-ab';

/** A ledger with four items. */
async function ledgerWithItems() {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-arrivals-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  const clock = manualClock();
  const newId = itemIds(clock.now, systemRandom);
  const items = [newId(), newId(), newId(), newId()] as const;
  await ledger.write([], async (rows) => {
    for (const item of items) {
      const names = { item, accountRegNo: HOME, home: HOME, login: null, fileName: 'a.xml', spoolName: item, mode: 'send' as const };
      await insertItem(rows, { ...names, sha256: item, size: 1, receivedAt: clock.now(), recovered: false });
    }
  });
  return { ledger, items };
}

const AWAY = new AppError('storage', 'The database does not answer.', { facts: { isAway: true } });

it('what other nodes have taken comes again where the item that followed it could not be read', async () => {
  const { ledger, items } = await ledgerWithItems();
  const [first, second, third, fourth] = items;
  await ledger.write([], async (rows) => {
    for (const id of [first, second]) await leaveRing(rows, { home: HOME, topic: 'submit', id });
  });
  let isAway = true;
  /** The session by which the item itself is asked for is lost, and that of the other question is not. */
  const lost = new Proxy(ledger.read, {
    get() {
      throw AWAY;
    },
  });
  const rung = new Arrivals({
    ledger: {
      get read() {
        return isAway ? lost : ledger.read;
      },
    },
    releases: { use: () => false },
    elsewhere: new TakenElsewhere(ledger),
  });
  const inOrder = new InOrder();
  const read = async (item: string): Promise<string[]> => (await rung.read(item, inOrder)).map((each) => each.item);
  await expect(read(third)).rejects.toThrow('does not answer');
  // Let the other half of it end.
  await ledger.write([], async () => undefined);
  isAway = false;
  expect(await read(fourth)).toEqual([first, second, third, fourth]);
  expect(await read(fourth)).toEqual([fourth]);
});

it('one that could not be read goes before those that were asked for while it was', async () => {
  const { ledger, items } = await ledgerWithItems();
  const [first, second, third, fourth] = items;
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined);
  /** The session of the first is lost, long after the others have been answered on another one. */
  const sessions = [ledger.read.withPlugin({ transformQuery: ({ node }) => node, transformResult: () => stopped.promise })];
  /** The third is answered late. */
  const late = Promise.withResolvers<void>();
  const rung = new Arrivals({
    ledger: {
      get read() {
        return sessions[0] ?? ledger.read;
      },
    },
    releases: { use: () => false },
    elsewhere: null,
  });
  const inOrder = new InOrder();
  const queued: string[] = [];
  const enqueue = async (item: string): Promise<void> => {
    for (const each of await rung.read(item, inOrder)) if (!queued.includes(each.item)) queued.push(each.item);
  };
  const missed = enqueue(first);
  sessions.pop();
  const others = [enqueue(second)];
  const transformResult: KyselyPlugin['transformResult'] = async ({ result }) => late.promise.then(() => result);
  sessions.push(ledger.read.withPlugin({ transformQuery: ({ node }) => node, transformResult }));
  others.push(enqueue(third));
  sessions.pop();
  // What is asked for now is there by then, if anything is.
  const passed = () => Promise.all([second, third].map((item) => readItem(ledger.read, item)));
  await passed();
  expect(queued).toEqual([]);
  stopped.reject(AWAY);
  await expect(missed).rejects.toThrow('does not answer');
  await passed();
  late.resolve();
  await Promise.all(others);
  await enqueue(fourth);
  expect(queued).toEqual(items);
});
