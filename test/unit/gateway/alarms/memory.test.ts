// What the gateway's watchers remember, held against the ledger that is there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Memory } from '#gateway/alarms/memory.ts';

const check = (): void => undefined;

it('refusals are looked for from the last publication of a ledger that begins anew', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-memory-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const before = await Memory.open(data, async () => 4_711, check);
  before.note({ notedUntil: 1_000 });
  await before.keep();
  expect((await Memory.open(data, async () => 9_999, check)).now.publication).toBe(4_711);
  expect((await Memory.open(data, async () => 3, check)).now).toEqual({ publication: 3, notedUntil: 1_000 });
  // At once: after a crash before the first look the ledger may have more.
  expect((await Memory.open(data, async () => 40, check)).now.publication).toBe(3);
});
