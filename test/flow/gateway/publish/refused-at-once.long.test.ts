// Thousands of files that are refused without a request, found by a start all together on a slow disk: reading them is quicker than writing
// receipts, but these are written a few hundred at a time, each once.
// DROPGATE_REFUSED is how many (2,000; 50,000 in the whole).
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { spoolFolder } from '#gateway/disk/paths.ts';
import { spoolName } from '#gateway/disk/spool-files.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { amountOf } from '../../../support/amounts.ts';
import { SELLER_AND_BUYER, startDaemon } from '../../../support/daemon.ts';
import { openFaults, slowSyncs } from '../../../support/faults/shim.ts';
import { stagedIn } from '../../../support/staged.ts';
import { until } from '../../../support/until.ts';

const COUNT = amountOf('DROPGATE_REFUSED');
const WITHIN_MS = 120_000 + COUNT * 20;
/** Receipts that may be staged at once, those included that have their name but no mark yet. */
const STAGED_MAX = 400;
const LOOK_EVERY_MS = 10;
const SYNC_MS = 300;

it('are answered some at a time, whatever a start finds', { timeout: WITHIN_MS * 2 }, async () => {
  using faults = openFaults();
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, env: faults.env });
  await daemon.stop();
  const folder = spoolFolder(daemon.data, 'seller');
  const newId = itemIds(systemClock.now, systemRandom);
  for (let at = 0; at < COUNT; at++) {
    writeFileSync(join(folder, spoolName({ item: newId(), mode: 'send', name: `broken-${at}.xml` })), `<Invoice><ID>${at}</ID`);
  }
  faults.set([{ ...slowSyncs(SYNC_MS), kinds: ['sync'], path: '*/staged/*' }]);
  await daemon.start();
  let most = 0;
  const isDone = async (): Promise<boolean> => {
    await pause(LOOK_EVERY_MS);
    most = Math.max(most, stagedIn(daemon.data).length);
    return daemon.spooled().length === 0;
  };
  await until('an empty spool', isDone, WITHIN_MS);
  await until('the last receipts', () => stagedIn(daemon.data).length === 0);
  const refused = readdirSync(daemon.home('seller', 'receipts')).filter((name) => name.includes('.refused.'));
  console.log(`refused at once: ${COUNT} files, ${refused.length} receipts, ${most} receipts written at once at the most`);
  expect(refused).toHaveLength(COUNT);
  expect(readdirSync(daemon.home('seller', 'refused'))).toHaveLength(COUNT);
  expect(most).toBeLessThan(STAGED_MAX);
});
