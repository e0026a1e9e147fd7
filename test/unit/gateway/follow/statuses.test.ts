// Many that have changed at once: of one feed in few commits, each with its fsync, 32 in one; of many feeds in turns.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openQueue } from '#engines/open.ts';
import { type Following, startFollowing } from '#gateway/follow/statuses.ts';
import { insertDelivery, readOpenDeliveries } from '#gateway/ledger/deliveries.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Account } from '#gateway/model/account.ts';
import { nextTurn } from '#gateway/model/share.ts';
import { Budget } from '#gateway/service/budget.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';
import { until } from '../../../support/until.ts';

const FEED = { accountRegNo: 'acme-ab', family: 'Invoice' } as const;
const ACCOUNT: Account = {
  accountRegNo: 'acme-ab',
  home: 'acme-ab',
  access: { partnerRegNo: null, key: 'key' },
  receipts: null,
  hints: false,
  receiving: {},
  validate: null,
  unreachable: null,
  reconciliation: null,
  repair: null,
  keep: {},
};

interface Open {
  readonly ledger: Ledger;
  readonly clock: ManualClock;
  readonly following: Following;
}

/** `answer` is told for which account statuses are asked for, and gives them. */
async function open(answer: (accountRegNo: string) => readonly object[]): Promise<Open> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-statuses-'));
  const ledger = await openGatewayLedger(folder);
  const clock = manualClock();
  const queue = openQueue(clock, silent);
  onTestFinished(async () => {
    await queue.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  const following = startFollowing({
    ledger,
    queue,
    client: {
      statuses: async (accountRegNo) => ({ status: 200, headers: new Map(), body: Buffer.from(JSON.stringify(answer(accountRegNo))) }),
    },
    budget: new Budget(clock),
    // The items have gone since: there is nothing to be published, and each is told of all the same.
    finisher: { announce: () => Promise.reject(new Error('no receipt is wanted')) },
    clock,
    log: silent,
    accounts: { find: () => ACCOUNT },
    hinted: true,
    pollMs: 60_000,
    pollSilentMs: 600_000,
    reconcileMs: 6 * 3_600_000,
  });
  return { ledger, clock, following };
}

it('80 that were delivered are told of in three commits', async () => {
  const ids = Array.from({ length: 80 }, () => randomUUID());
  const { ledger, clock, following } = await open(() => ids.map((uuid) => ({ uuid, readAt: null, metadata: { status: 'delivered' } })));
  await ledger.write([], async (rows) => {
    for (const [at, id] of ids.entries()) await insertDelivery(rows, FEED, `item-${at}`, id, clock.now());
  });
  const before = ledger.commits;
  following.ring(FEED.accountRegNo, FEED.family);
  clock.advance(1_000);
  await until('all to be told', async () => (await readOpenDeliveries(ledger.read, FEED, 100)).length === 0);
  expect(ledger.commits - before).toBe(3);
});

it('feeds that are rung for together are asked about one after the other, each in its turn of a second', async () => {
  const asked = new Set<string>();
  const { ledger, clock, following } = await open((accountRegNo) => {
    asked.add(accountRegNo);
    return [{ uuid: accountRegNo, readAt: null, metadata: { status: 'delivered' } }];
  });
  const accounts = Array.from({ length: 40 }, (_, at) => `account-${at}`);
  await ledger.write([], async (rows) => {
    for (const each of accounts) await insertDelivery(rows, { accountRegNo: each, family: 'Invoice' }, `of-${each}`, each, clock.now());
  });
  for (const accountRegNo of accounts) following.ring(accountRegNo, 'Invoice');
  clock.advance(500);
  const early = accounts.filter((each) => nextTurn(`${each} Invoice`, 1_000, clock.now() - 500) <= clock.now());
  await until('all of the first half', () => asked.size === early.length);
  expect(early.length).toBeGreaterThan(10);
  expect(early.length).toBeLessThan(30);
  expect([...asked].toSorted()).toEqual(early.toSorted());
  clock.advance(500);
  await until('the others', () => asked.size === accounts.length);
});
