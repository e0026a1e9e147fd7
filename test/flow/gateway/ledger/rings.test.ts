// Rings that others have left are heard and removed, however many they are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { leaveRing, readRings, removeRings } from '#gateway/ledger/rings.ts';

/** More than a statement takes on either engine. */
const MANY = 300_000;

it('very many rings are removed at once, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-rings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  await ledger.write([], async (rows) => {
    for (const id of ['one', 'two', 'three']) await leaveRing(rows, { home: 'acme', topic: 'submit', id });
  });
  const [one, two, three] = await readRings(ledger.read);
  const others = Array.from({ length: MANY }, (_, at) => 1_000_000 + at);
  await ledger.write([], (rows) => removeRings(rows, [one?.ring ?? 0, ...others, three?.ring ?? 0]));
  expect(await readRings(ledger.read)).toEqual([two]);
});
