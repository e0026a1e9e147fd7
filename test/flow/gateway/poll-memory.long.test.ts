// Lists of many long documents: several accounts at once are polled within a bounded memory. DROPGATE_POLL_LARGE is how many documents of
// 20 MB each of four accounts has (3 by default).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { putAccount } from '#gateway/accounts/administration.ts';
import { startTestGateway } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';

const COUNT = Number(process.env.DROPGATE_POLL_LARGE ?? 3);
const BYTES = 20_000_000;
const ACCOUNTS = ['one', 'two', 'three', 'four'];
/** What all sweeps hold, and the same again where a document is read, written and on its way between threads; and what V8 has not swept. */
const GROWTH_MAX_MB = 500;

test('peak memory does not grow with what a list holds', async () => {
  const service = spawn(process.execPath, [join(import.meta.dirname, '../../support/large-lists.ts'), String(COUNT), String(BYTES)]);
  onTestFinished(() => void service.kill());
  const [port] = await once(service.stdout, 'data');
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  onTestFinished(() => clearInterval(timer));
  const world = await startTestGateway({
    url: `http://127.0.0.1:${String(port).trim()}`,
    accounts: Object.fromEntries(ACCOUNTS.map((account) => [account, 'key'])),
    settings: { requestTimeout: 300_000 },
    before: (administer) =>
      administer(async (on) => {
        for (const account of ACCOUNTS) await putAccount(on, account, 'key', { from: 'all' });
      }),
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const outbox = (): number => ACCOUNTS.reduce((sum, account) => sum + world.files(account, 'outbox').length, 0);
  await until(
    'all documents',
    () => {
      world.clock.advance(100);
      return outbox() === COUNT * ACCOUNTS.length;
    },
    500_000,
  );
  const grownMb = Math.round((peak - before) / 1e6);
  console.log(
    `POLL-MEMORY: ${COUNT * ACCOUNTS.length} documents of ${BYTES / 1e6} MB of ${ACCOUNTS.length} accounts, peak RSS ${grownMb} MB above the start`,
  );
  expect(grownMb).toBeLessThan(GROWTH_MAX_MB);
});
