// A ledger whose indexes held every item and document becomes one whose indexes hold what is looked for by them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { firstIdAt } from '#domain/id.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { readUnmarked } from '#gateway/ledger/documents.ts';
import { finishItem, insertItem, readLatestAccepted, setHead } from '#gateway/ledger/items.ts';
import { migrations, type Rows, type Tables } from '#gateway/ledger/schema.ts';
import { readBlocker, readWaiting } from '#gateway/ledger/turns.ts';

const NOW = 1_700_000_000_000;
const HEAD = { family: 'Invoice', documentId: 'I-1', sender: '0007:1', receiver: '0007:2' };
const FEED = { accountRegNo: 'a', family: 'Invoice' } as const;
const idAt = (ms: number) => firstIdAt(NOW + ms);

async function drop(rows: Rows, item: string, documentId: string): Promise<void> {
  const place = { item, accountRegNo: 'a' };
  const name = { login: null, fileName: `${documentId}.xml`, spoolName: `${item}~~x`, mode: 'send', sha256: documentId, size: 1 } as const;
  await insertItem(rows, { ...place, ...name, home: 'a', receivedAt: NOW, recovered: false });
  await setHead(rows, place, { ...HEAD, documentId });
}

it('what waits, what was accepted and what is to be marked is found as before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-indexes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.db');
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0015'));
  const before = await openSqlite<Tables>(path, earlier);
  const finish = { state: 'accepted', integrationId: 'i', duplicateOf: null, reason: null, endedAt: NOW } as const;
  await before.write(async (rows) => {
    for (const [at, documentId] of ['I-1', 'I-2', 'I-3'].entries()) await drop(rows, idAt(at), documentId);
    await finishItem(rows, idAt(0), finish);
    await rows
      .updateTable('items')
      .set({ waits_for: idAt(1) })
      .where('item', '=', idAt(2))
      .execute();
    await sql`insert into documents (account_reg_no, family, integration_id, version, state, marked_at)
      values ('a', 'Invoice', 'marked', 1, 'published', 1), ('a', 'Invoice', 'unmarked', 1, 'published', null)`.execute(rows);
  });
  await before.close();
  const ledger = await openSqlite<Tables>(path, migrations);
  onTestFinished(() => ledger.close());
  const { read } = ledger;

  const third = { item: { item: idAt(2), accountRegNo: 'a' }, head: { ...HEAD, documentId: 'I-3' }, now: NOW, underWay: false };
  expect((await readBlocker(read, { ...third, answered: new Set() }))?.item).toBe(idAt(1));
  expect(await readBlocker(read, { ...third, answered: new Set([idAt(1)]) })).toBeUndefined();
  expect(await readWaiting(read, idAt(1))).toEqual([idAt(2)]);
  expect((await readLatestAccepted(read, 'a', HEAD))?.item).toBe(idAt(0));
  expect(await readUnmarked(read, FEED)).toEqual(['unmarked']);
});

const LOOKS: Record<string, string> = {
  items_lane: `select item from items where account_reg_no = ? and state = ? and ended_at is null and sender = ? and receiver = ? and item < ?`,
  items_document: `select item from items where account_reg_no = ? and family = ? and document_id = ? and state = ?`,
  items_waits_for: `select item from items where waits_for = ? and state = ?`,
  documents_unmarked: `select integration_id from documents where account_reg_no = ? and family = ? and state = ? and marked_at is null`,
};

it.each(Object.entries(LOOKS))('%s is taken', async (index, query) => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-indexes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.db');
  await (await openSqlite<Tables>(path, migrations)).close();
  using connection = new DatabaseSync(path);
  const [step] = connection.prepare(`explain query plan ${query}`).all();
  expect(step?.detail).toContain(`USING INDEX ${index} (`);
});
