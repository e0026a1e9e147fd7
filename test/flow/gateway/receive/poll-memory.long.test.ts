// Lists of many long documents: several accounts at once are polled within a memory that does not grow with what the lists hold: three times
// as many documents take about the same. DROPGATE_POLL_LARGE is how many documents of 20 MB each of four accounts has then (6 by default).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putAccount } from '#gateway/operate/accounts.ts';
import { until } from '../../../support/until.ts';
import { given } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const COUNT = Number(process.env.DROPGATE_POLL_LARGE ?? 6);
const BYTES = 20_000_000;
const ACCOUNTS = ['one', 'two', 'three', 'four'];
/** What all sweeps hold, and the same again where a document is read, written and on its way between threads; and what V8 has not swept. */
const GROWTH_MAX_MB = 800;

it('peak memory does not grow with what a list holds', async () => {
  const before = process.memoryUsage().rss;
  const few = Math.ceil(COUNT / 3);
  const fewMb = (await peakOf(few)) - before / 1e6;
  const manyMb = (await peakOf(COUNT)) - before / 1e6;
  console.log(
    `POLL-MEMORY: documents of ${BYTES / 1e6} MB of ${ACCOUNTS.length} accounts, peak RSS above the start ${fewMb.toFixed(0)} MB with ${few} of each, ${manyMb.toFixed(0)} MB with ${COUNT}`,
  );
  expect(manyMb).toBeLessThan(Math.max(2 * fewMb, GROWTH_MAX_MB));
});

/** Megabytes at the most while so many documents of each account are polled. */
async function peakOf(count: number): Promise<number> {
  const service = spawn(process.execPath, [join(import.meta.dirname, '../../../support/large-lists.ts'), String(count), String(BYTES)]);
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  try {
    const [port] = await once(service.stdout, 'data');
    await using world = await startWorld(given({ url: `http://127.0.0.1:${String(port).trim()}` }), {
      accounts: Object.fromEntries(ACCOUNTS.map((account) => [account, 'key'])),
      settings: { requestTimeout: 600_000 },
      async before(on) {
        for (const account of ACCOUNTS) await putAccount(on, account, 'key', { from: 'all' });
      },
    });
    const outbox = (): number => ACCOUNTS.reduce((sum, account) => sum + world.files(account, 'outbox').length, 0);
    await until(
      'all documents',
      () => {
        world.clock.advance(100);
        return outbox() === count * ACCOUNTS.length;
      },
      1_500_000,
    );
    return peak / 1e6;
  } finally {
    clearInterval(timer);
    service.kill();
  }
}
