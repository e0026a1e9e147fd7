// An account is exported, and the process dies before one of its calls: nothing looks like a whole export, and what is left is removed by who begins anew.
// DROPGATE_EXPORT_POINTS is the number of calls that are tried.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { readJournal } from '../support/faults/journal.ts';
import { openFaults } from '../support/faults/shim.ts';
import { randomOf } from '../support/random.ts';
import { run, uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { isDurable } from './recording.ts';

const POINTS = amountOf('DROPGATE_EXPORT_POINTS');
const SEED = Number(process.env.DROPGATE_CRASH_SEED ?? Date.now() % 1_000_000);
const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length), readFileSync(join(parentPath, name), 'base64')]),
  );
}

it(`an export that dies does not look whole (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const random = randomOf(SEED);
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  for (const id of ['one', 'two']) await uploadInvoice(daemon, id);
  await until('both in the outbox', () => daemon.files('buyer', 'outbox').length === 2);
  await daemon.stop();
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  using faults = openFaults({ root: folder, journal: true });
  const to = join(folder, 'seller');
  const exported = (): Promise<{ readonly status: number | null; readonly err: string }> =>
    run(process.execPath, [MAIN, 'account', 'export', 'seller', '--to', to, '--yes', '--config', daemon.configFile], '', faults.env);

  expect(await exported()).toMatchObject({ status: 0 });
  const whole = contentOf(to);
  const calls = readJournal(faults.journal()).filter(isDurable);
  expect(calls.length).toBeGreaterThan(10);
  rmSync(to, { recursive: true });

  const all = calls.map((_, at) => at + 1);
  // The last one gives it its name.
  const points = POINTS >= all.length ? all : [all.length, ...Array.from({ length: POINTS - 1 }, () => random(1, all.length))];
  for (const from of points) {
    faults.set([{ action: 'die-before', from }]);
    expect((await exported()).status).not.toBe(0);
    expect(existsSync(to), `before call ${from}`).toBe(false);
    faults.set([]);
    if (existsSync(`${to}.unfinished`)) {
      expect(await exported()).toMatchObject({ status: 73, err: expect.stringContaining('unfinished') });
      rmSync(`${to}.unfinished`, { recursive: true });
    }
  }
  expect(await exported()).toMatchObject({ status: 0 });
  expect(contentOf(to)).toEqual(whole);
  console.log(`exports: ${points.length} deaths in ${calls.length} calls, seed ${SEED}`);
});
