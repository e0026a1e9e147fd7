// A node that has lost its homes while it removes days of an archive.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { thinArchive } from '#gateway/archive/chain.ts';
import { archiveFolder } from '#gateway/archive/places.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';

const DAYS = ['2020-01-01', '2020-01-02', '2020-01-03'];

it('removes no day after that', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-chain-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const folder = archiveFolder(data, 'acme');
  for (const day of DAYS) mkdirSync(join(folder, day), { recursive: true });
  const check = (): void => {
    if (readdirSync(folder).length < DAYS.length) throw new Error('it has lost its homes');
  };
  const parts = { data, inHand: { check }, clock: manualClock(), log: openLog('error', { write: () => undefined }) };
  await expect(thinArchive(parts, 'acme', 1)).rejects.toThrow('lost its homes');
  expect(readdirSync(folder)).toEqual(DAYS.slice(1));
});
