// Looking after outboxes: documents whose time there is over go, and the ledger is told, whatever happens meanwhile.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepExpiry, keepFetch, readFetches } from '#gateway/ledger/fetches.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { type Pickup, startPickup } from '#gateway/publish/pick-up.ts';
import type { Clock } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { until } from '../../../support/until.ts';
import { loseFetches } from '../../../support/world/ledger-rows.ts';

const HOUR_MS = 3_600_000;
const HOME = 'acme-ab';

let data: string;
let outbox: string;
let ledger: Ledger;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-pickup-'));
  outbox = join(data, 'homes', HOME, 'outbox');
  mkdirSync(outbox, { recursive: true });
  ledger = await openGatewayLedger(data);
});
afterEach(async () => {
  await ledger.close();
  rmSync(data, { recursive: true });
});

/** Returns the number of its row. */
async function publish(name: string): Promise<number> {
  writeFileSync(join(outbox, name), '<Invoice/>');
  const owed = { accountRegNo: HOME, home: HOME, folder: 'outbox', name, staged: name, subject: name, stage: 'version 1' } as const;
  const published = await ledger.write([], (rows) => insertPublication(rows, owed));
  return published?.publication ?? 0;
}

/** When all that lies in the outbox has lain there for too long. */
const LATER = (): number => Date.now() + 2 * HOUR_MS;

function start(lines: string[], now = LATER): Pickup {
  const clock: Clock = { now, after: () => ({ [Symbol.dispose]: () => {} }) };
  return startPickup({
    data,
    ledger,
    inHand: new HomesInHand(),
    homes: () => [HOME],
    accounts: async () => [],
    rules: () => ({ outbox: 'keep', keepOutbox: HOUR_MS, pickup: 0, archive: 0 }),
    clock,
    log: openLog('info', { write: (line) => void lines.push(line) }),
  });
}

/** What the log says of a look. */
async function look(now = LATER): Promise<string> {
  const lines: string[] = [];
  await using _started = start(lines, now);
  await until('the look', () => lines.length > 0);
  return lines[0] ?? '';
}

const toldOf = (...publications: readonly number[]) => readFetches(ledger.read, publications);
const REMOVED = /"event":"outbox.removed".*"removed":1/;

it('a document that is taken at the moment at which it would go keeps no other from going, and is not told as removed', async () => {
  const [taken, left] = [await publish('taken.xml'), await publish('left.xml')];
  // What is asked for the time has listed the outbox by then.
  const line = await look(() => {
    rmSync(join(outbox, 'taken.xml'), { force: true });
    return LATER();
  });
  expect(line).toMatch(REMOVED);
  expect(readdirSync(outbox)).toEqual([]);
  await until('what is told of the other to be taken back', async () => (await toldOf(taken)).length === 0);
  expect(await toldOf(left)).toMatchObject([{ action: 'expired', login: '', name: 'left.xml', times: 1 }]);
});

it('a document that has another name since is told by its own row, and a file that was never published by none', async () => {
  const publication = await publish('a.xml');
  renameSync(join(outbox, 'a.xml'), join(outbox, 'b.xml'));
  const renamed = {
    action: 'renamed',
    home: HOME,
    folder: 'outbox',
    name: 'a.xml',
    newName: 'b.xml',
    login: 'erp',
    address: '::1',
  } as const;
  await ledger.write([], (rows) => keepFetch(rows, { ...renamed, key: null, bytes: 0, sha256: null, atMs: 1, times: 1 }));
  writeFileSync(join(outbox, 'own.xml'), '');
  expect(await look()).toMatch(/"removed":2/);
  expect(await toldOf(publication)).toMatchObject([{ action: 'renamed' }, { action: 'expired', name: 'b.xml' }]);
});

it('what the ledger cannot be told stays', async () => {
  await publish('a.xml');
  await loseFetches(ledger);
  expect(await look()).toContain('outbox.unseen');
  expect(existsSync(join(outbox, 'a.xml'))).toBe(true);
});

it('what lies there still, because a death came before its removal, goes with the next look and is told once', async () => {
  const publication = await publish('a.xml');
  await ledger.write([], (rows) => keepExpiry(rows, { home: HOME, folder: 'outbox', name: 'a.xml' }, 1));
  const beganMs = LATER();
  expect(await look()).toMatch(REMOVED);
  const told = await toldOf(publication);
  expect(told).toMatchObject([{ action: 'expired', times: 1 }]);
  expect(told[0]?.firstAt).toBeGreaterThanOrEqual(beganMs);
});

it('a look that is stopped has told of all that is gone, of nothing else, and writes nothing any more', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `${at}.xml`);
  const publications: number[] = [];
  for (const name of names) publications.push(await publish(name));
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const pickup = start([], () => {
    // Once for each document as they are listed, then as they go.
    if (++asked === names.length + 40) resolve(pickup[Symbol.asyncDispose]());
    return LATER();
  });
  await stopped;
  const left = readdirSync(outbox);
  await ledger.close();
  ledger = await openGatewayLedger(data);
  expect(readdirSync(outbox)).toEqual(left);
  const told = (await toldOf(...publications)).map(({ name }) => name);
  expect(told.length).toBeGreaterThan(0);
  expect(left.length).toBeGreaterThan(0);
  expect([...left, ...told].sort()).toEqual(names.sort());
});
