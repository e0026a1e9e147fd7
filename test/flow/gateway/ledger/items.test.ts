// The guards of an item's row: each change is made from the states that it may follow, by the process that holds the item, or not at all.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import { insertAttempt, noteAttempt, readAttempts } from '#gateway/ledger/attempts.ts';
import { closeOldDeliveries, insertDelivery, putDeliveryStatus, readOpenDeliveries, reopenDelivery } from '#gateway/ledger/deliveries.ts';
import { readDue } from '#gateway/ledger/due-items.ts';
import { renameItem } from '#gateway/ledger/item-names.ts';
import { endWaitsBegunAfter, postponeItem, voidLeases } from '#gateway/ledger/item-waits.ts';
import { type Finish, finishItem, insertItem, leaseItem, readItem, reviveItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { type Blocker, readBlocker, readNeighbours, releaseTurns, type TurnRequest } from '#gateway/ledger/pair-order.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { findItemsOf } from '#gateway/ledger/searches.ts';
import { ALL_HOMES, type Homes } from '#gateway/model/homes.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import { admit } from '#gateway/submit/admit.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';

const ACCOUNT = 'acme-ab';
const HEAD: ItemHead = { family: 'Invoice', documentId: 'D-1', sender: '0088:1', receiver: '0088:2' };
const NOW = Date.parse('2026-11-21T10:00:00Z');
const ENDED: Finish = { state: 'cancelled', integrationId: null, duplicateOf: null, reason: 'taken back', endedAt: NOW };
const ENDS = ['accepted', 'refused', 'held', 'cancelled'] as const;

let ledger: Ledger;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-items-'));
  ledger = await openGatewayLedger(folder);
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
});

const blockerOfTurn = async (request: TurnRequest): Promise<Blocker | undefined> =>
  readBlocker(ledger.read, request, await readNeighbours(ledger.read, request));
const write = <Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> => ledger.write([], work);
async function itemOf(item: string): Promise<Item> {
  const found = await readItem(ledger.read, item);
  if (!found) throw new Error(`there is no ${item}`);
  return found;
}
async function put(item = 'I-1', facts: Partial<Parameters<typeof insertItem>[1]> = {}): Promise<Item> {
  const plain = { item, accountRegNo: ACCOUNT, home: ACCOUNT, login: null, fileName: item, spoolName: item, mode: 'send' } as const;
  await write((rows) => insertItem(rows, { ...plain, sha256: item, size: 1, receivedAt: NOW, recovered: false, ...facts }));
  return itemOf(item);
}
const lease = (item: Item, owner: string, now = NOW, until = now + 1_000, head = HEAD) =>
  write((rows) => leaseItem(rows, item, head, { owner, now, until }));
const gate = (item: Item, now = NOW) =>
  write((rows) => admit(rows, { item, head: HEAD, owner: 'us', now, leaseUntil: now + 1_000, answered: new Set() }));

it('an item is found by its id, by its end and by the letters of its receipt, beside others that end almost so', async () => {
  const [first, second, other] = ['0A', '0B', '0C'].map((start, at) => `${start}${'0'.repeat(16)}${at < 2 ? 'ABCDEFGH' : 'BBCDEFGH'}`);
  if (!first || !second || !other) throw new TypeError('three ids');
  for (const item of [first, second, other]) await put(item);
  const found = await findItemsOf(ledger.read, [first, 'abcdefgh', 'BBCDEFGH', second.slice(1), 'CBCDEFGH', 'DEFGH']);
  expect([...found].map(([name, items]) => [name, items.map(({ item }) => item)])).toEqual([
    [first, [first]],
    ['abcdefgh', [first, second]],
    ['BBCDEFGH', [other]],
    [second.slice(1), [second]],
  ]);
});

describe('an item is taken', () => {
  it.each(ENDS)('not when it is %s: nothing is tried, and its row stays as it is', async (state) => {
    const item = await put();
    await write((rows) => finishItem(rows, item.item, { ...ENDED, state }));
    expect(await gate(item)).toEqual({ kind: 'gone' });
    expect(await readAttempts(ledger.read, item.item)).toMatchObject({ count: 0 });
    expect(await itemOf(item.item)).toMatchObject({ state, head: null });
  });

  it('by one owner at a time, until the lease has run out or the item is given back', async () => {
    const item = await put();
    expect(await lease(item, 'us')).toBe(true);
    expect(await lease(item, 'them', NOW + 999)).toBe(false);
    expect(await lease(item, 'us', NOW + 999)).toBe(true);
    expect(await lease(item, 'them', NOW + 1_998)).toBe(false);
    expect(await lease(item, 'them', NOW + 1_999)).toBe(true);
    await write((rows) => postponeItem(rows, item.item, { now: NOW, until: NOW, reason: 'later' }));
    expect(await lease(item, 'us', NOW)).toBe(true);
  });

  it('for the account whose it is, whichever it was dropped for', async () => {
    const item = await put();
    expect(await lease({ ...item, accountRegNo: 'child' }, 'us')).toBe(true);
    expect(await itemOf(item.item)).toMatchObject({ accountRegNo: 'child', home: item.home, head: HEAD });
    expect(await lease({ ...item, accountRegNo: 'child' }, 'them')).toBe(false);
    expect(await lease({ ...item, accountRegNo: 'other' }, 'them')).toBe(false);
    expect(await itemOf(item.item)).toMatchObject({ accountRegNo: 'child' });
  });

  it('when its home was taken up, whoever had leased it, and not that of another home', async () => {
    const [ours, theirs] = [await put('I-1'), await put('I-2', { home: 'other' })];
    await lease(ours, 'them', NOW, NOW + 10_000);
    await lease(theirs, 'them', NOW, NOW + 10_000);
    await write((rows) => voidLeases(rows, { only: [ours.home] }));
    expect([await lease(ours, 'us'), await lease(theirs, 'us')]).toEqual([true, false]);
    await write((rows) => voidLeases(rows, { except: ['other'] }));
    expect(await lease(theirs, 'us')).toBe(false);
    await write((rows) => voidLeases(rows, ALL_HOMES));
    expect(await lease(theirs, 'us')).toBe(true);
  });

  it('when it is due: pending, its time has come, and it is not leased', async () => {
    for (const [item, state] of [['I-1', null], ...ENDS.map((state, at) => [`I-${at + 2}`, state] as const)] as const) {
      await put(item);
      if (state) await write((rows) => finishItem(rows, item, { ...ENDED, state }));
    }
    await lease(await put('I-7'), 'us', NOW, NOW + 5);
    await put('I-8');
    await write((rows) => postponeItem(rows, 'I-8', { now: NOW, until: NOW + 7, reason: 'later' }));
    const due = (now: number, homes: Homes = ALL_HOMES) => readDue(ledger.read, homes, { now, after: '', limit: 10 });
    expect(await due(NOW + 4)).toEqual(['I-1']);
    expect(await due(NOW + 5)).toEqual(['I-1', 'I-7']);
    expect(await due(NOW + 6)).toEqual(['I-1', 'I-7']);
    expect(await due(NOW + 7)).toEqual(['I-1', 'I-7', 'I-8']);
    expect([await due(NOW + 7, { only: ['other'] }), await due(NOW + 7, { only: [] })]).toEqual([[], []]);
    const others = Array.from({ length: 100_000 }, (_, at) => `other-"${at}"`);
    expect(await due(NOW + 7, { only: [...others, ACCOUNT] })).toEqual(['I-1', 'I-7', 'I-8']);
    expect(await due(NOW + 7, { except: others })).toEqual(['I-1', 'I-7', 'I-8']);
    expect([await due(NOW + 7, { only: others }), await due(NOW + 7, { except: [...others, ACCOUNT] })]).toEqual([[], []]);
  });
});

it('a receipt from before its sender was known keeps the name of an item, in a home of several accounts', async () => {
  const item = await put('I-1', { accountRegNo: 'firm', home: 'firm' });
  const receipt = {
    accountRegNo: 'firm',
    home: 'firm',
    folder: 'receipts',
    name: 'r',
    staged: 's',
    subject: 'I-1',
    stage: 'waiting',
  } as const;
  await write((rows) => insertPublication(rows, receipt));
  await lease({ ...item, accountRegNo: ACCOUNT }, 'us');
  expect(await write((rows) => renameItem(rows, 'I-1', 'other'))).toBe(false);
  expect(await itemOf('I-1')).toMatchObject({ accountRegNo: ACCOUNT, fileName: 'I-1' });
});

describe('an item that has ended', () => {
  it.each(ENDS)('as %s ends no other way, waits for nothing, and keeps its name', async (state) => {
    const { item } = await put();
    expect(await write((rows) => finishItem(rows, item, { ...ENDED, state }))).toBe(true);
    const before = await itemOf(item);
    for (const other of ENDS)
      expect(await write((rows) => finishItem(rows, item, { ...ENDED, state: other, reason: 'other' }))).toBe(false);
    expect(await write((rows) => renameItem(rows, item, 'other'))).toBe(false);
    await write((rows) => postponeItem(rows, item, { now: NOW, until: NOW + 5, reason: 'later' }));
    await write((rows) => endWaitsBegunAfter(rows, ALL_HOMES, NOW - 1));
    await write((rows) => releaseTurns(rows, item));
    expect(await itemOf(item)).toEqual(before);
  });

  it.each(ENDS)('as %s revives from that state only', async (state) => {
    const { item } = await put();
    await write((rows) => finishItem(rows, item, { ...ENDED, state }));
    for (const from of ['held', 'cancelled'] as const) {
      const revived = await write((rows) => reviveItem(rows, item, from, 'again'));
      expect(revived).toBe(from === state);
      expect((await itemOf(item)).state).toBe(revived ? 'pending' : state);
      if (revived) await write((rows) => finishItem(rows, item, { ...ENDED, state }));
    }
  });
});

describe('of two items of one document', () => {
  const blockerOf = async (item: string, underWay: boolean) =>
    (await blockerOfTurn({ item: await itemOf(item), head: HEAD, now: NOW, underWay, answered: new Set() }))?.item;
  /** An item with a head, which was tried with these outcomes. */
  async function tried(item: string, outcomes: readonly Parameters<typeof noteAttempt>[3][], head = HEAD): Promise<void> {
    await lease(await put(item), 'us', NOW, NOW + 1, head);
    for (const [at, outcome] of outcomes.entries()) {
      await write(async (rows) => {
        await insertAttempt(rows, item, at + 1, NOW);
        await noteAttempt(rows, item, at + 1, outcome, NOW);
      });
    }
  }
  const elsewhere: ItemHead = { ...HEAD, receiver: '0088:3' };

  it.each([null, 'lost', 'in-flight'] as const)(
    'the earlier waits for the later one that is under way (%s), to whomever it goes',
    async (outcome) => {
      await tried('I-1', ['no-receiver']);
      await tried('I-2', [outcome], elsewhere);
      expect(await blockerOf('I-1', false)).toBe('I-2');
      await write((rows) => finishItem(rows, 'I-2', { ...ENDED, state: 'accepted' }));
      expect(await blockerOf('I-1', false)).toBeUndefined();
    },
  );

  it.each(['unseen', 'no-receiver', 'paused', 'key-renewed'] as const)(
    'a later one that the service does not have (%s) holds up none',
    async (outcome) => {
      await tried('I-1', ['no-receiver']);
      await tried('I-2', [outcome], elsewhere);
      expect(await blockerOf('I-1', false)).toBeUndefined();
    },
  );

  it('of two under way the earlier goes first, and the later one waits for it', async () => {
    await tried('I-1', [null]);
    await tried('I-2', [null]);
    expect([await blockerOf('I-1', true), await blockerOf('I-2', true)]).toEqual([undefined, 'I-1']);
  });

  it('of two that were never tried the later one waits, where both go to one receiver', async () => {
    await tried('I-1', []);
    await tried('I-2', []);
    await tried('I-3', [], elsewhere);
    expect([await blockerOf('I-1', false), await blockerOf('I-2', false)]).toEqual([undefined, 'I-1']);
    const third = await blockerOfTurn({
      item: await itemOf('I-3'),
      head: elsewhere,
      now: NOW,
      underWay: false,
      answered: new Set(),
    });
    expect(third).toBeUndefined();
  });
});

it.each([
  [-ORDER_HOLD_MS, undefined],
  [1 - ORDER_HOLD_MS, 'I-1'],
  [ORDER_HOLD_MS - 1, 'I-1'],
  // The clock was put back: which came first is not known any more.
  [ORDER_HOLD_MS, undefined],
])('another document to the same receiver that came %i ms after now is waited for: %s', async (afterMs, blocker) => {
  await lease(await put('I-1', { receivedAt: NOW + afterMs }), 'us');
  const item = await put('I-2');
  const other = { ...HEAD, documentId: 'D-2' };
  const found = await blockerOfTurn({ item, head: other, now: NOW, underWay: false, answered: new Set() });
  expect(found?.item).toBe(blocker);
  const answered = await blockerOfTurn({ item, head: other, now: NOW, underWay: false, answered: new Set(['I-1']) });
  expect(answered).toBeUndefined();
});

describe('the status that was last reported of a document', () => {
  const FEED = { accountRegNo: ACCOUNT, family: 'Invoice' } as const;
  const open = async () => (await readOpenDeliveries(ledger.read, FEED, 10)).map(({ item, status }) => [item, status]);

  it('is asked of the last that was sent under an identity, and of no other', async () => {
    await write(async (rows) => {
      await insertDelivery(rows, FEED, 'I-1', 'sent', NOW);
      await insertDelivery(rows, FEED, 'I-2', 'other', NOW + 1);
      await insertDelivery(rows, { accountRegNo: 'beta-as', family: 'Invoice' }, 'I-3', 'sent', NOW + 2);
      await insertDelivery(rows, FEED, 'I-4', 'sent', NOW + 3);
      // It was reported already.
      await insertDelivery(rows, FEED, 'I-2', 'again', NOW + 4);
    });
    expect(await open()).toEqual([
      ['I-4', ''],
      ['I-2', ''],
    ]);
    await write((rows) => closeOldDeliveries(rows, FEED, NOW + 3));
    expect(await open()).toEqual([['I-4', '']]);
  });

  it('counts no more when it is sent once more: neither its end nor its no', async () => {
    await write(async (rows) => {
      await insertDelivery(rows, FEED, 'I-1', 'sent', NOW);
      await insertDelivery(rows, FEED, 'I-2', 'sent', NOW + 1);
      await insertDelivery(rows, FEED, 'I-3', 'other', NOW + 2);
      for (const item of ['I-1', 'I-2', 'I-3']) await putDeliveryStatus(rows, item, 'failed', false);
      await reopenDelivery(rows, 'beta-as', 'sent');
    });
    expect(await open()).toEqual([]);
    await write((rows) => reopenDelivery(rows, ACCOUNT, 'sent'));
    expect(await open()).toEqual([['I-2', '']]);
    expect((await dumpTable({ gateway: ledger }, 'deliveries')).map(({ item, status }) => [item, status])).toEqual([
      ['I-1', 'failed'],
      ['I-2', ''],
      ['I-3', 'failed'],
    ]);
  });
});
