// Connections that came to nothing: kept in the ledger, counted, bounded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Gathered } from '#gateway/ledger/gathered.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { keepReject, readRejects } from '#gateway/ledger/rejects.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { REJECTS } from '#gateway/sftp/books.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';
import { until } from '../../../support/until.ts';
import { given } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

let folder: string;
let ledger: Ledger;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-rejects-'));
  ledger = await openGatewayLedger(folder);
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const reject = {
  address: '192.0.2.1',
  login: 'erp',
  times: 1,
  reason: 'wrong-password',
  client: 'SSH-2.0-x',
  offer: null,
  explanation: 'x',
};

it('one row for each address and login, with the latest reason and how often', async () => {
  await ledger.write([], async (rows) => {
    await keepReject(rows, { ...reject, atMs: 1 });
    await keepReject(rows, { ...reject, login: 'other', atMs: 2 });
    await keepReject(rows, { ...reject, reason: 'unknown-key', atMs: 3 });
  });
  const kept = await readRejects(ledger.read);
  expect(kept).toMatchObject([
    { login: 'erp', atMs: 3, times: 2, reason: 'unknown-key' },
    { login: 'other', atMs: 2, times: 1 },
  ]);
});

it('each reason is told, the latest first, and no more than five', async () => {
  const tries = ['a', 'b', 'a', 'c', 'd', 'e', 'f', 'e'];
  for (const [at, explanation] of tries.entries()) await ledger.write([], (rows) => keepReject(rows, { ...reject, explanation, atMs: at }));
  expect(await readRejects(ledger.read)).toMatchObject([{ times: 8, explanation: 'e; earlier: f; earlier: d; earlier: c; earlier: a' }]);
});

it('of what comes within a second each reason is kept', async () => {
  const { times: _, ...fact } = reject;
  {
    await using book = new Gathered({ ledger, clock: manualClock(), log: silent }, REJECTS);
    for (const explanation of ['a', 'b', 'c', 'a']) book.add({ ...fact, explanation, atMs: 1 });
  }
  expect(await readRejects(ledger.read)).toMatchObject([{ times: 4, explanation: 'a; earlier: c; earlier: b' }]);
});

it('the oldest rows give way', async () => {
  await ledger.write([], async (rows) => {
    for (let n = 1; n <= 20; n++) await keepReject(rows, { ...reject, login: `login-${n}`, atMs: n }, 5);
  });
  const kept = await readRejects(ledger.read);
  expect(kept.map(({ login }) => login)).toEqual(['login-20', 'login-19', 'login-18', 'login-17', 'login-16']);
});

it('rows of one millisecond give way one by one, not together', async () => {
  await ledger.write([], async (rows) => {
    for (let n = 1; n <= 20; n++) await keepReject(rows, { ...reject, login: `login-${n}`, atMs: 1 }, 5);
  });
  expect(await readRejects(ledger.read)).toHaveLength(5);
});

it('of a thousand and one, a thousand stay', async () => {
  await ledger.write([], async (rows) => {
    for (let n = 1; n <= 1_001; n++) await keepReject(rows, { ...reject, login: `login-${n}`, atMs: n });
  });
  const kept = await readRejects(ledger.read);
  expect([kept.length, kept[0]?.login, kept.at(-1)?.login]).toEqual([1_000, 'login-1001', 'login-2']);
});

it('those that come within a second of a write are written together, counted', async () => {
  const clock = manualClock();
  let writes = 0;
  const counting: Ledger = {
    ...ledger,
    write: (scopes, work, when) => {
      writes++;
      return ledger.write(scopes, work, when);
    },
  };
  const book = new Gathered({ ledger: counting, clock, log: silent }, REJECTS);
  const { times: _one, ...came } = reject;
  for (let n = 1; n <= 5_000; n++) book.add({ ...came, login: n % 2 ? 'erp' : '', atMs: n });
  expect(writes).toBe(1);
  // The first has not been written yet.
  clock.advance(1_000);
  book.add({ ...came, atMs: 6_000 });
  await book[Symbol.asyncDispose]();
  // Theirs are two; one without facts brings the commit for which the first has waited.
  expect(writes).toBe(3);
  expect((await readRejects(ledger.read)).map(({ login, times, atMs }) => [login, times, atMs])).toEqual([
    ['erp', 2_501, 6_000],
    ['', 2_500, 5_000],
  ]);
});

it('a client that could not get in is in the ledger, for another process to see', async () => {
  const test = await startWorld(given({ url: 'http://127.0.0.1:9' }), { accounts: {} });
  const client = new ssh2.Client();
  client.on('error', () => {});
  const { port } = test.gateway().sftp;
  client.connect({ host: '127.0.0.1', port, username: 'erp', algorithms: { kex: ['diffie-hellman-group14-sha1'] } });
  const other = await openGatewayLedger(test.data);
  const kept = await until('the row', async () => (await readRejects(other.read))[0]);
  await other.close();
  expect(kept).toMatchObject({ address: '127.0.0.1', reason: 'negotiation', times: 1, atMs: test.clock.now() });
  expect(kept.offer).toContain('"kex":["diffie-hellman-group14-sha1"]');
});
