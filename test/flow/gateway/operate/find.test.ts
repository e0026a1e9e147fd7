// A text with which very many documents begin: the newest of the period are found, and the period is told.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { insertItem, setHead } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { findDocuments } from '#gateway/operate/find.ts';
import { systemRandom } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';

const ITEMS = 2_100;
const DAY_MS = 86_400_000;
const ACCOUNT = 'acme-ab';

it('looks through the period where more begins so than is looked at by an index', async () => {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-find-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
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
