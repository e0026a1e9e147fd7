// Tidying homes: originals and receipts whose time is over go, and the ledger is told of each.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFetches } from '#gateway/ledger/fetches.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { startTidying } from '#gateway/publish/tidy.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/until.ts';
import { loseFetches } from '../../../support/world/ledger-rows.ts';

const HOUR_MS = 3_600_000;
const HOME = 'acme-ab';
const FOLDERS = ['accepted', 'refused', 'receipts'] as const;
type Folder = (typeof FOLDERS)[number];

let data: string;
let ledger: Ledger;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-tidy-'));
  for (const folder of FOLDERS) mkdirSync(join(data, 'homes', HOME, folder), { recursive: true });
  ledger = await openGatewayLedger(data);
});
afterEach(async () => {
  await ledger.close();
  rmSync(data, { recursive: true });
});

const left = (folder: Folder): string[] => readdirSync(join(data, 'homes', HOME, folder));

/** Returns the number of its row. */
async function publish(folder: Folder, name: string): Promise<number> {
  writeFileSync(join(data, 'homes', HOME, folder, name), '');
  const owed = { accountRegNo: HOME, home: HOME, folder, name, staged: name, subject: name, stage: folder } as const;
  return (await ledger.write([], (rows) => insertPublication(rows, owed)))?.publication ?? 0;
}

/** The first round, when all that lies there has lain there for so many hours. Returns what the log says of it. */
function tidied(hours: number): readonly string[] {
  const lines: string[] = [];
  const clock = manualClock(Date.now());
  const keeping = { accepted: 3 * HOUR_MS, receipts: 9 * HOUR_MS, items: Number.POSITIVE_INFINITY, failedUploads: 0 };
  startTidying({
    data,
    ledger,
    homes: () => [HOME],
    inHand: new HomesInHand(),
    periods: async () => ({ of: () => keeping }),
    clock,
    log: openLog('info', { write: (line) => void lines.push(line) }),
  });
  clock.advance(hours * HOUR_MS);
  return lines;
}

it('tells the ledger of each original and receipt that goes, by the name that it has there, and of no other', async () => {
  const names = ['räkning.1a2b3c4d.xml', 'a.xml'] as const;
  const accepted = [await publish('accepted', names[0]), await publish('accepted', names[1])];
  const receipt = await publish('receipts', 'a.xml.accepted.json');
  writeFileSync(join(data, 'homes', HOME, 'accepted', 'of-nobody.xml'), '');
  const early = tidied(4);
  await eventually(() => expect(early.join()).toMatch(/"folder":"accepted".*"removed":3/));
  expect(left('accepted')).toEqual([]);
  expect(left('receipts')).toHaveLength(1);
  const told = await readFetches(ledger.read, [...accepted, receipt]);
  expect(told.map(({ action, login, name }) => [action, login, name]).sort()).toEqual([
    ['expired', '', 'a.xml'],
    ['expired', '', 'räkning.1a2b3c4d.xml'],
  ]);
  const late = tidied(10);
  await eventually(() => expect(late.join()).toMatch(/"folder":"receipts".*"removed":1/));
  expect(await readFetches(ledger.read, [receipt])).toMatchObject([{ action: 'expired', name: 'a.xml.accepted.json' }]);
});

it('what the ledger cannot be told stays, and the other folders are tidied all the same', async () => {
  await publish('accepted', 'a.xml');
  await loseFetches(ledger);
  const lines = tidied(4);
  await eventually(() => expect(lines.join()).toMatch(/tidy.failed.*"folder":"accepted"/));
  expect(left('accepted')).toEqual(['a.xml']);
});
