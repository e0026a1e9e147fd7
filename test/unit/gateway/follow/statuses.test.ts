// Many that have changed at once are told of in few commits, each with its fsync: 32 in one.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openQueue } from '#engines/open.ts';
import { startFollowing } from '#gateway/follow/statuses.ts';
import { insertDelivery, readOpenDeliveries } from '#gateway/ledger/deliveries.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Account } from '#gateway/model/account.ts';
import { Budget } from '#gateway/service/budget.ts';
import { manualClock } from '../../../support/clock.ts';
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

it('80 that were delivered are told of in three commits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-statuses-'));
  const ledger = await openGatewayLedger(folder);
  const clock = manualClock();
  const queue = openQueue(clock, silent);
  onTestFinished(async () => {
    await queue.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  const ids = Array.from({ length: 80 }, () => randomUUID());
  const statuses = ids.map((uuid) => ({ uuid, readAt: null, metadata: { status: 'delivered' } }));
  const following = startFollowing({
    ledger,
    queue,
    client: { statuses: async () => ({ status: 200, headers: new Map(), body: Buffer.from(JSON.stringify(statuses)) }) },
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
  await ledger.write([], async (rows) => {
    for (const [at, id] of ids.entries()) await insertDelivery(rows, FEED, `item-${at}`, id, clock.now());
  });
  const before = ledger.commits;
  following.ring(FEED.accountRegNo, FEED.family);
  clock.advance(1_000);
  await until('all to be told', async () => (await readOpenDeliveries(ledger.read, FEED, 100)).length === 0);
  expect(ledger.commits - before).toBe(3);
});
