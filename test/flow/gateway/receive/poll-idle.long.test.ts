// What idle accounts cost where the service rings for each document: requests at the start and in six hours, and memory.
// DROPGATE_POLL_ACCOUNTS is how many there are (500; the whole has 10,000).

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { openQueue } from '#engines/open.ts';
import type { Queue } from '#engines/queue.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { OWN_READING } from '#gateway/reader/reading.ts';
import type { FeedClient } from '#gateway/receive/feed-client.ts';
import { Poller } from '#gateway/receive/poll.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { amountOf } from '../../../support/amounts.ts';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';

const COUNT = amountOf('DROPGATE_POLL_ACCOUNTS');
const FEEDS = COUNT * 8;
const HOUR = 3_600_000;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
const heapMb = (): number => {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed / 1e6;
};

it('idle accounts cost next to nothing', async () => {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dropgate-idle-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  const clock = manualClock();
  let sweeps = 0;
  const queue = counted(openQueue(clock, silent), (more) => {
    sweeps += more;
  });
  const done = (): Promise<void> => calm(() => sweeps > 0);
  const account = (accountRegNo: string) => ({
    accountRegNo,
    home: accountRegNo,
    access: { partnerRegNo: null, key: 'key' },
    receipts: null,
    hints: false,
    validate: null,
    unreachable: null,
    reconciliation: null,
    repair: null,
    keep: {},
    receiving: { from: 'now' },
  });
  const known = new Map(Array.from({ length: COUNT }, (_, index) => `55600${index}`).map((name) => [name, account(name)]));
  const accounts: Pick<Accounts, 'find' | 'all' | 'readersOf'> = {
    find: (name) => known.get(name),
    all: () => [...known.values()],
    readersOf: () => [],
  };
  const seen = new Map<string, number>();
  let requests = 0;
  const none = async (): Promise<never> => {
    throw new Error('nothing is there to be fetched');
  };
  const feeds: FeedClient = {
    async page({ accountRegNo, family }, _, limit) {
      requests++;
      seen.set(`${accountRegNo} ${family}`, clock.now());
      return { items: [], limit };
    },
    fetch: none,
    mark: none,
    unmark: none,
    drain: none,
    statuses: none,
  };
  const before = heapMb();
  const poller = new Poller({
    fetched: OWN_READING.fetched,
    bellCoverage: null,
    accounts,
    inHand: new HomesInHand(),
    queue,
    clock,
    log: silent,
    ledger,
    feeds,
    publisher: { hand: none },
    archive: { keep: none },
    parties: { note: () => {} },
    held: new Semaphore(1),
    data: folder,
    hinted: true,
    pollMs: 60_000,
    pollSilentMs: 600_000,
    reconcileMs: 6 * HOUR,
  });
  onTestFinished(async () => {
    await poller[Symbol.asyncDispose]();
    await queue.close();
    await ledger.close();
  });
  poller.watch();
  const startedAt = clock.now();
  while (seen.size < FEEDS) {
    clock.advance(1_000);
    await done();
  }
  const [atStart, startSeconds] = [requests, (clock.now() - startedAt) / 1_000];
  const grown = heapMb() - before;

  // Six hours, minute by minute: as many at once as their turns have it.
  requests = 0;
  let most = 0;
  for (let minute = 0; minute < 370; minute++) {
    const begun = requests;
    clock.advance(60_000);
    await done();
    most = Math.max(most, requests - begun);
  }
  const first = Math.min(...seen.values());
  expect(first).toBeGreaterThan(startedAt);
  expect(clock.now() - first).toBeLessThan(7 * HOUR);
  console.log(
    `POLL-IDLE: ${COUNT} accounts, ${atStart} requests over ${startSeconds} s at the start, ${requests} in six hours, ${most} in a minute at the most, heap ${Math.round((grown * 1e6) / FEEDS)} bytes a feed`,
  );
  // Those whose own turn came after their first sweep are compared once more.
  expect(atStart).toBeLessThan(1.01 * FEEDS);
  // Four hundred in a second, whatever there is.
  expect(Math.abs(startSeconds - FEEDS / 400)).toBeLessThanOrEqual(2);
  expect(requests).toBeLessThan(1.6 * FEEDS);
  expect(most).toBeLessThan(FEEDS / 50);
});

/** Tells of each answer to the bell when it begins, and when it has ended. */
function counted(queue: Queue, tell: (more: 1 | -1) => void): Queue {
  return {
    ring: (...asked) => queue.ring(...asked),
    close: () => queue.close(),
    answer: (topic, concurrency, handler) =>
      queue.answer(topic, concurrency, (id) => {
        tell(1);
        return handler(id).finally(() => tell(-1));
      }),
  };
}
