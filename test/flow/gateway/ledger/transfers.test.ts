// What logins fetched, and uploads that came to nothing, as the ledger keeps them: counted, found by later names, bounded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepFailedUpload, readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { type Fetch, keepExpiry, keepFetch, readFetchedNames, readFetches } from '#gateway/ledger/fetches.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';

let folder: string;
let ledger: Ledger;
beforeEach(async () => {
  folder = mkdtempSync(`${tmpdir()}/dropgate-transfers-`);
  ledger = await openGatewayLedger(folder);
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const HOME = 'acme-ab';
const fetched: Fetch = {
  home: HOME,
  folder: 'outbox',
  name: 'a.xml',
  action: 'downloaded',
  login: 'erp',
  key: 'SHA256:x',
  address: '192.0.2.1',
  bytes: 10,
  sha256: null,
  atMs: 1,
  times: 1,
};

async function publish(name: string): Promise<number> {
  const owed = { accountRegNo: HOME, home: HOME, folder: 'outbox', name, staged: name, subject: name, stage: 'version 1' } as const;
  const published = await ledger.write([], (rows) => insertPublication(rows, owed));
  return published?.publication ?? 0;
}

const keep = (...facts: readonly Fetch[]) =>
  ledger.write([], async (rows) => {
    for (const fact of facts) await keepFetch(rows, fact);
  });

it('a file, a login and an action have one row, with the first time, the last one, and how often', async () => {
  const publication = await publish('a.xml');
  await keep(fetched, { ...fetched, atMs: 5, times: 2, address: '192.0.2.2' }, { ...fetched, login: 'other', atMs: 7 });
  expect(await readFetches(ledger.read, [publication])).toMatchObject([
    { login: 'erp', firstAt: 1, lastAt: 5, times: 3, address: '192.0.2.2', key: 'SHA256:x' },
    { login: 'other', firstAt: 7, lastAt: 7, times: 1 },
  ]);
});

it('a file that was renamed is known by its new names, and what was never published leaves nothing', async () => {
  const publication = await publish('a.xml');
  await keep(
    { ...fetched, action: 'renamed', newName: 'b.xml' },
    { ...fetched, action: 'renamed', name: 'b.xml', newName: 'c.xml', atMs: 2 },
    { ...fetched, name: 'c.xml', atMs: 3 },
    { ...fetched, name: 'unknown.xml' },
    { ...fetched, folder: 'receipts' },
  );
  expect(await readFetches(ledger.read, [publication])).toMatchObject([
    { action: 'renamed', name: 'c.xml', times: 2 },
    { action: 'downloaded', name: 'c.xml' },
  ]);
});

it('a document that expired was fetched by nobody, and can be fetched when it is there again', async () => {
  await publish('a.xml');
  await ledger.write([], (rows) => keepExpiry(rows, fetched, 2));
  expect(await readFetchedNames(ledger.read, HOME, ['a.xml'])).toEqual(new Set());
  await keep(fetched);
  expect(await readFetchedNames(ledger.read, HOME, ['a.xml'])).toEqual(new Set(['a.xml']));
});

const failed = { home: HOME, login: 'erp', address: '192.0.2.1', fileName: 'large.xml', size: 10, reason: 'too large', atMs: 1, times: 1 };

it('uploads of one name are counted in one row, with each reason, the latest first', async () => {
  await ledger.write([], async (rows) => {
    await keepFailedUpload(rows, failed);
    await keepFailedUpload(rows, { ...failed, reason: 'quota', atMs: 2, times: 4 });
  });
  expect(await readFailedUploads(ledger.read, HOME)).toMatchObject([{ reason: 'quota; earlier: too large', atMs: 2, times: 5 }]);
});

it('a home keeps so many at the most', async () => {
  await ledger.write([], async (rows) => {
    for (let n = 1; n <= 20; n++) await keepFailedUpload(rows, { ...failed, fileName: `${n}.xml`, atMs: n }, 5);
    await keepFailedUpload(rows, { ...failed, home: 'other', atMs: 3 }, 5);
  });
  const names = async (home: string) => (await readFailedUploads(ledger.read, home)).map(({ fileName }) => fileName);
  expect(await names(HOME)).toEqual(['20.xml', '19.xml', '18.xml', '17.xml', '16.xml']);
  expect(await names('other')).toEqual(['large.xml']);
});
