// Making the homes of all accounts at a start.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { homeMaker } from '#gateway/publish/make-homes.ts';
import { openLog } from '#runtime/log.ts';

it('leaves time for other work between them, however many there are', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-homes-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const homes = Array.from({ length: 200 }, (_, at) => `home-${at}`);
  const made = homeMaker({ data, homes: () => homes, log: openLog('error', { write: () => undefined }) })();
  await turn();
  const early = readdirSync(join(data, 'homes')).length;
  await made;
  expect(early).toBeLessThan(homes.length);
  expect(readdirSync(join(data, 'homes'))).toHaveLength(homes.length);
});
