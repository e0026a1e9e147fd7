// Looking after outboxes while ERPs take documents out of them.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HomesInHand } from '#gateway/model/homes.ts';
import { startPickup } from '#gateway/publish/pick-up.ts';
import type { Clock } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { until } from '../../../support/until.ts';

const HOUR_MS = 3_600_000;

it('a document that is taken at the moment at which it would go keeps no other from going', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-pickup-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const outbox = join(data, 'homes/acme-ab/outbox');
  mkdirSync(outbox, { recursive: true });
  for (const name of ['taken.xml', 'left.xml']) writeFileSync(join(outbox, name), '<Invoice/>');

  // What is asked for the time has listed the outbox by then.
  const clock: Clock = {
    now() {
      rmSync(join(outbox, 'taken.xml'), { force: true });
      return Date.now() + 2 * HOUR_MS;
    },
    after: () => ({ [Symbol.dispose]: () => {} }),
  };
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  const rules = () => ({ outbox: 'keep', keepOutbox: HOUR_MS, pickup: 0, archive: 0 }) as const;
  using _started = startPickup({
    data,
    inHand: new HomesInHand(),
    homes: () => ['acme-ab'],
    accounts: async () => [],
    rules,
    fetched: async () => new Set<string>(),
    clock,
    log,
  });

  await until('the look', () => lines.length > 0);
  expect(lines).toEqual([expect.stringMatching(/"event":"outbox.removed".*"removed":1/)]);
  expect(readdirSync(outbox)).toEqual([]);
});
