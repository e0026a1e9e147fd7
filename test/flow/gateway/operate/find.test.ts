// Very much that begins with one text: the newest of the period are found, and the period is told; and page by page each is found once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { putVersion } from '#gateway/ledger/documents.ts';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { insertItem, setHead } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { findDocuments, type Hit, type HitPosition, idOf, positionOf } from '#gateway/operate/find.ts';
import { systemRandom } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';

const ITEMS = 2_100;
const DAY_MS = 86_400_000;
const ACCOUNT = 'acme-ab';

async function openLedger() {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-find-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  return ledger;
}

it('looks through the period where more begins so than is looked at by an index', async () => {
  const ledger = await openLedger();
  const clock = manualClock();
  const newId = itemIds(clock.now, systemRandom);
  await ledger.write([], async (rows) => {
    for (let at = 0; at < ITEMS; at++) {
      if (at === ITEMS - 10) clock.advance(40 * DAY_MS);
      const item = newId();
      const names = { item, accountRegNo: ACCOUNT, home: ACCOUNT, login: null, fileName: 'a.xml', spoolName: item, mode: 'send' as const };
      await insertItem(rows, { ...names, sha256: item, size: 1, receivedAt: clock.now(), recovered: false });
      const head = { family: 'Invoice', documentId: `F-${at}`, sender: '0088:1', receiver: '0088:2' } as const;
      await setHead(rows, { item, accountRegNo: ACCOUNT }, head);
    }
  });
  const find = (text: string, sinceMs?: number) =>
    findDocuments({ ledger, clock }, { text, limit: 50, registered: async () => [], ...(sinceMs !== undefined && { sinceMs }) });
  const common = await find('f-');
  expect([common.hits.length, common.how, common.sinceMs]).toEqual([10, 'start', clock.now() - 30 * DAY_MS]);
  expect(common.hits[0]).toMatchObject({ item: { documentId: `F-${ITEMS - 1}` } });
  expect((await find('f-', 0)).hits).toHaveLength(50);
  const one = await find('F-2001');
  expect([one.hits.length, one.sinceMs]).toEqual([1, null]);
});

it('finds each once, page by page, also where very many came in one millisecond, or items came to an end in another order', async () => {
  const ledger = await openLedger();
  const clock = manualClock();
  const newId = itemIds(clock.now, systemRandom);
  const each = { sender: '0088:1', receiver: '0088:2', documentId: 'F-1' } as const;
  const [perKind, moments, pageRows] = [12, 3, 5];
  for (let moment = 0; moment < moments; moment++) {
    await ledger.write([], async (rows) => {
      for (let at = 0; at < perKind; at++) {
        const item = newId();
        const names = {
          item,
          accountRegNo: ACCOUNT,
          home: ACCOUNT,
          login: null,
          fileName: 'a.xml',
          spoolName: item,
          mode: 'send' as const,
        };
        // The first upload of all ends last.
        const receivedAt = clock.now() + (moment + at === 0 ? DAY_MS : 0);
        await insertItem(rows, { ...names, sha256: item, size: 1, receivedAt, recovered: false });
        await setHead(rows, { item, accountRegNo: ACCOUNT }, { family: 'Invoice', ...each });
        // Ids in another order than that in which they came.
        const integrationId = `${(at * 7) % perKind}-${moment}`;
        const version = { integrationId, isKnown: false, version: 1, content: '', listSha256: null, receivedAt: clock.now(), head: each };
        await putVersion(rows, { accountRegNo: ACCOUNT, family: 'Invoice' }, version);
        const upload = { home: ACCOUNT, login: 'erp', address: '192.0.2.7', size: 1, reason: 'cut off', times: 1, atMs: clock.now() };
        await keepFailedUpload(rows, { ...upload, fileName: `F-1-${moment}-${at}.xml` });
      }
    });
    clock.advance(1);
  }
  const found: Hit[] = [];
  const page = async (behind?: HitPosition): Promise<void> => {
    const wish = { text: 'f-1', limit: pageRows, registered: async () => [], ...(behind && { behind }) };
    const { hits } = await findDocuments({ ledger, clock }, wish);
    found.push(...hits);
    const last = hits[pageRows - 1];
    if (last) await page(positionOf(last));
  };
  await page();
  const names = found.map((hit) => `${hit.kind} ${idOf(hit)}`);
  expect([names.length, new Set(names).size]).toEqual([3 * perKind * moments, 3 * perKind * moments]);
  const places = found.map((hit) => positionOf(hit).atMs);
  expect(places).toEqual(places.toSorted((one, other) => other - one));
});
