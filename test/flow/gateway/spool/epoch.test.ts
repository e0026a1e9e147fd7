// The stamp by itself: it costs nothing while there is nothing to do.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { epochsAgree, startEpochs } from '#gateway/spool/epoch.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { until } from '../../../support/until.ts';

it('an idle ledger is not written, and a busy one every ten seconds at the most', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-'));
  const ledger = await openGatewayLedger(data);
  const clock = manualClock();
  const parts = { data, ledger, inHand: new HomesInHand(), clock, random: systemRandom, log: openLog('silent') };
  const stamp = (): string => readFileSync(join(data, 'spool', '.epoch'), 'utf8');
  const work = (): Promise<void> => ledger.write([], (rows) => leaveRing(rows, { home: 'acme-ab', topic: 'submit', id: 'x' }));
  {
    await using _epochs = startEpochs(parts);
    await work();
    clock.advance(10_000);
    await until('the first stamp', async () => (await epochsAgree(parts)) && ledger.commits === 3);
    const first = stamp();
    for (let turn = 0; turn < 20; turn++) {
      clock.advance(10_000);
      await new Promise((next) => setImmediate(next));
    }
    expect([stamp(), ledger.commits]).toEqual([first, 3]);
    for (let turn = 0; turn < 10; turn++) await work();
    clock.advance(9_999);
    expect(stamp()).toBe(first);
    clock.advance(1);
    // All of the move, so that what comes next is no part of it.
    await until('the second stamp', () => stamp() !== first && ledger.commits === 15);
    await work();
  }
  // Stopped: what came last is covered, too.
  expect(ledger.commits).toBe(15 + 1 + 2);
  expect(await epochsAgree(parts)).toBe(true);
  await ledger.close();
  rmSync(data, { recursive: true });
});
