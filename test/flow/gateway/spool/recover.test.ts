// A start that finds files in the spool and no rows: each is adopted with what it is, and many share what makes them durable.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { openQueue } from '#engines/open.ts';
import { spoolName } from '#gateway/disk/spool-files.ts';
import { readOpen } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ALL_HOMES, HomesInHand } from '#gateway/model/homes.ts';
import { type Recovered, recoverSpool } from '#gateway/spool/recover.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';

const HOME = 'acme-ab';
const MANY = 1_200;
/** Sizes beside those of most: none, as much as is read at once, and more. */
const SIZES = new Map([
  [7, 1_000_000],
  [8, 0],
  [9, 128 * 1024],
  [10, 128 * 1024 + 1],
]);

let data: string;
let ledger: Ledger;
let clock: ManualClock;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-recover-'));
  mkdirSync(join(data, 'spool', HOME), { recursive: true });
  clock = manualClock();
  ledger = await openGatewayLedger(data);
});
afterEach(async () => {
  await ledger.close();
  rmSync(data, { recursive: true });
});

async function recover(told: string[] = []): Promise<Recovered> {
  const log = openLog('silent');
  const finisher = { finish: () => Promise.reject(new Error('nothing is to be finished')) };
  const { recovered } = await recoverSpool(
    {
      data,
      incarnation: 'X',
      ledger,
      inHand: new HomesInHand(),
      queue: openQueue(clock, log),
      clock,
      random: systemRandom,
      log,
      finisher,
      progress: (text) => told.push(text),
    },
    ALL_HOMES,
  );
  return recovered;
}

it('files without rows are adopted as they are, with a commit for hundreds', async () => {
  const newId = itemIds(clock.now, systemRandom);
  const changedAt = clock.now() - 60_000;
  const files = Array.from({ length: MANY }, (_, at) => {
    const [item, name] = [newId(), `invoice-${at}.xml`];
    const size = SIZES.get(at);
    const bytes = size === undefined ? Buffer.from(`document ${at}`) : Buffer.alloc(size, `long ${at}`);
    const path = join(data, 'spool', HOME, spoolName({ item, mode: 'overwrite', name }));
    writeFileSync(path, bytes);
    utimesSync(path, changedAt / 1_000, changedAt / 1_000);
    return { item, name, bytes };
  });
  const before = ledger.commits;
  const told: string[] = [];
  expect(await recover(told)).toMatchObject({ adopted: MANY, returned: 0, held: 0, cancelled: 0 });
  expect(ledger.commits - before).toBeLessThanOrEqual(8);
  expect(told.length).toBeGreaterThan(1);
  expect(told.at(-1)).toBe(`${MANY} of ${MANY} files without a row`);

  const open = await readOpen(ledger.read, ALL_HOMES);
  expect(
    open.map(({ item, fileName, mode, size, sha256, receivedAt, recovered, state, home }) => [
      item,
      fileName,
      mode,
      size,
      sha256,
      receivedAt,
      recovered,
      state,
      home,
    ]),
  ).toEqual(
    files.map(({ item, name, bytes }) => [
      item,
      name,
      'overwrite',
      bytes.length,
      createHash('sha256').update(bytes).digest('hex'),
      changedAt,
      true,
      'pending',
      HOME,
    ]),
  );
  expect(await recover()).toMatchObject({ adopted: 0, returned: 0 });
});
