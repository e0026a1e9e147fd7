// The end of an item: one commit of its state and of what is owed for it, once; what throws in it leaves everything as it was.

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { AppError } from '#domain/error.ts';
import { openQueue } from '#engines/open.ts';
import { ensureHome, homeFolder } from '#gateway/disk/paths.ts';
import { insertAttempt, readAttempts } from '#gateway/ledger/attempts.ts';
import { readOpenDeliveries } from '#gateway/ledger/deliveries.ts';
import { insertItem, leaseItem, readItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ALL_HOMES, HomesInHand } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { Finisher } from '#gateway/publish/finish.ts';
import { Publisher } from '#gateway/publish/publish.ts';
import { systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';
import { stagedIn } from '../../../support/staged.ts';

const HOME = 'acme-ab';
const ITEM = '01KAJ3V7Q8ABCDEFGHJKMNPQRS';
const FEED = { accountRegNo: HOME, family: 'Invoice' } as const;
const ACCEPTED: Outcome = { stage: 'accepted', action: 'none', message: 'The service has it.', integrationId: 'id-1' };
const REFUSED: Outcome = { stage: 'refused', code: 'rule', action: 'fix', message: 'The service refuses it.' };
const HELD: Outcome = { stage: 'held', code: 'waits', action: 'wait', message: 'Nobody can tell.' };

let data: string;
let ledger: Ledger;
let finisher: Finisher;
let item: Item;
const ended: string[] = [];
const followed: string[] = [];

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-finish-'));
  ended.length = 0;
  followed.length = 0;
  const itemEnded = new ItemEnded();
  itemEnded.listen((each, feed) => {
    ended.push(each.item);
    if (feed) followed.push(feed.family);
  });
  ensureHome(data, HOME);
  ledger = await openGatewayLedger(data);
  const clock = manualClock();
  const queue = openQueue(clock, silent);
  const inHand = new HomesInHand();
  const publisher = new Publisher({
    inHand,
    data,
    incarnation: 'X',
    ledger,
    folders: new FolderSync(),
    queue,
    clock,
    random: systemRandom,
    log: silent,
  });
  finisher = new Finisher({
    publisher,
    data,
    archive: { keeps: () => false, keep: async () => undefined },
    log: silent,
    receiptForm: () => 'json',
    dropper: () => undefined,
    readers: () => [],
    ended: itemEnded,
    clock,
  });
  onTestFinished(async () => {
    await publisher.close();
    await ledger.close();
    rmSync(data, { recursive: true });
  });
  const names = { item: ITEM, accountRegNo: HOME, home: HOME, login: null, fileName: 'a.xml', spoolName: `${ITEM}~-~a.xml` };
  const head = { family: 'Invoice' as const, documentId: '1', sender: '0088:1', receiver: '0088:2' };
  writeFileSync(join(data, 'spool', HOME, names.spoolName), 'bytes');
  await ledger.write([], async (rows) => {
    await insertItem(rows, { ...names, mode: 'send', sha256: 'x', size: 5, receivedAt: clock.now(), recovered: false });
    await leaseItem(rows, names, head, { owner: 'us', now: clock.now(), until: clock.now() + 1_000 });
    await insertAttempt(rows, ITEM, 1, clock.now());
  });
  item = await read();
});

async function read(): Promise<Item> {
  const found = await readItem(ledger.read, ITEM);
  if (!found) throw new Error('there is no item');
  return found;
}
const files = (folder: string): string[] => readdirSync(join(homeFolder(data, HOME), folder));
const staged = (): string[] => stagedIn(data);
const stages = (): (string | undefined)[] => files('receipts').map((name) => name.split('.').at(-2));

it('has one receipt, and its original lies in the folder of its end', async () => {
  expect(await finisher.finish(item, ACCEPTED)).toEqual([]);
  expect([await read(), stages(), files('accepted').length, files('refused')]).toMatchObject([{ state: 'accepted' }, ['accepted'], 1, []]);
  expect((await readAttempts(ledger.read, ITEM)).tries).toMatchObject([{ outcome: 'accepted' }]);
  expect(await readOpenDeliveries(ledger.read, FEED, 10)).toMatchObject([{ item: ITEM, integrationId: 'id-1' }]);
  expect([ended, followed]).toEqual([[ITEM], ['Invoice']]);
});

it.each([
  ['accepted', ACCEPTED, REFUSED],
  ['refused', REFUSED, ACCEPTED],
  ['held', HELD, REFUSED],
])('that is %s ends no other way: no second receipt, no listener called, nothing moved', async (state, first, second) => {
  await finisher.finish(item, first);
  const before = [await read(), await readAttempts(ledger.read, ITEM), await readOwed(ledger.read, ALL_HOMES), stages()];
  expect(await finisher.finish(item, second)).toBeNull();
  expect([await read(), await readAttempts(ledger.read, ITEM), await readOwed(ledger.read, ALL_HOMES), stages()]).toEqual(before);
  expect([stages(), ended, staged()]).toEqual([[state], [ITEM], []]);
  expect(await readOpenDeliveries(ledger.read, FEED, 10)).toHaveLength(state === 'accepted' ? 1 : 0);
});

it('of two ends at the same moment one counts', async () => {
  const [one, other] = await Promise.all([finisher.finish(item, ACCEPTED), finisher.finish(item, REFUSED)]);
  expect([one, other].filter((each) => each)).toHaveLength(1);
  expect(stages()).toEqual([one ? 'accepted' : 'refused']);
  expect([files('accepted').length, files('refused').length]).toEqual(one ? [1, 0] : [0, 1]);
});

it('ends from the state that was meant only', async () => {
  expect(await finisher.finish(item, REFUSED, { from: 'held' })).toBeNull();
  expect([await read(), stages()]).toMatchObject([{ state: 'pending' }, []]);
  await finisher.finish(item, HELD);
  expect(existsSync(join(data, 'spool', HOME, item.spoolName))).toBe(true);
  expect(await finisher.finish(item, REFUSED, { from: 'held' })).toEqual([]);
  expect(stages().sort()).toEqual(['held', 'refused']);
});

it('that cannot be committed is what it was: no receipt, and nothing staged', async () => {
  const together = async (): Promise<never> => Promise.reject(new AppError('forbidden', 'too late'));
  await expect(finisher.finish(item, REFUSED, { together })).rejects.toMatchObject({ code: 'forbidden' });
  expect([await read(), stages(), ended, staged()]).toMatchObject([{ state: 'pending' }, [], [], []]);
  expect(await readOwed(ledger.read, ALL_HOMES)).toEqual([]);
  expect(await finisher.finish(item, REFUSED)).toEqual([]);
});
