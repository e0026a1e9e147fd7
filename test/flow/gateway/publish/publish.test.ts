// Publishing into homes: what is owed comes once, whatever a home's folder is for a moment, and is noted only when it is there.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openQueue } from '#engines/open.ts';
import { beginIncarnation, type Incarnation } from '#gateway/disk/incarnation.ts';
import { ensureHome, homeFolder } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication, readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { PublicationFolder } from '#gateway/ledger/tables/sending.ts';
import { ALL_HOMES, HomesInHand } from '#gateway/model/homes.ts';
import { Publisher } from '#gateway/publish/publish.ts';
import { systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { calm } from '../../../support/calm.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';

const HOME = 'acme-ab';
const FOLDERS: readonly PublicationFolder[] = ['outbox', 'receipts', 'accepted', 'refused'];

let data: string;
let ledger: Ledger;
let clock: ManualClock;
let publisher: Publisher;
let incarnation: Incarnation | undefined;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-publish-'));
  ensureHome(data, HOME);
  ledger = await openGatewayLedger(data);
  clock = manualClock();
  publisher = await start();
  onTestFinished(async () => {
    await publisher.close();
    incarnation?.[Symbol.dispose]();
    incarnation = undefined;
    await ledger.close();
    rmSync(data, { recursive: true });
  });
});

/** As another process, once the one before has ended. */
async function start(): Promise<Publisher> {
  incarnation?.[Symbol.dispose]();
  incarnation = await beginIncarnation(data, systemRandom);
  const queue = openQueue(clock, silent);
  return new Publisher({
    inHand: new HomesInHand(),
    data,
    incarnation: incarnation.id,
    ledger,
    folders: new FolderSync(),
    queue,
    clock,
    random: systemRandom,
    log: silent,
  });
}

const path = (folder: string): string => join(homeFolder(data, HOME), folder);
const publish = (folder: PublicationFolder, name = 'a.xml') =>
  publisher.hand({ home: HOME, accountRegNo: HOME }, Buffer.from(name), async (rows, staged) => [
    await insertPublication(rows, { accountRegNo: HOME, home: HOME, folder, name, staged, subject: name, stage: 'x' }),
  ]);
const owed = async (): Promise<string[]> => (await readOwed(ledger.read, ALL_HOMES)).map(({ name }) => name);

/** Time for another try, and for the note of what was written. */
async function later(): Promise<void> {
  for (let seconds = 0; seconds < 40; seconds += 10) {
    clock.advance(10_000);
    await calm();
  }
}

describe.each(FOLDERS)('into %s', (folder) => {
  it('a file is there at once, and owed until its name is durable', async () => {
    await publish(folder);
    expect(readFileSync(join(path(folder), 'a.xml'), 'utf8')).toBe('a.xml');
    expect(await owed()).toEqual(['a.xml']);
    await later();
    expect(await owed()).toEqual([]);
  });

  it.each<[what: string, away: () => void, back: () => void]>([
    ['missing', () => renameSync(path(folder), path('away')), () => renameSync(path('away'), path(folder))],
    [
      'a file',
      () => {
        renameSync(path(folder), path('away'));
        writeFileSync(path(folder), '');
      },
      () => {
        unlinkSync(path(folder));
        renameSync(path('away'), path(folder));
      },
    ],
  ])('a folder that is %s for a moment loses nothing: it comes when the folder is back', async (_, away, back) => {
    away();
    await publish(folder);
    await later();
    expect(await owed()).toEqual(['a.xml']);
    back();
    await later();
    expect(readdirSync(path(folder)).filter((name) => name === 'a.xml')).toEqual(['a.xml']);
    expect(await owed()).toEqual([]);
  });

  it('nor does a start at such a moment', async () => {
    renameSync(path(folder), path('away'));
    await publish(folder);
    await publisher.close();
    publisher = await start();
    await publisher.recover(ALL_HOMES);
    await later();
    expect(await owed()).toEqual(['a.xml']);
    renameSync(path('away'), path(folder));
    await later();
    expect(existsSync(join(path(folder), 'a.xml'))).toBe(true);
    expect(await owed()).toEqual([]);
  });
});

it('what was published before a crash and taken since is not published again', async () => {
  await publish('outbox');
  unlinkSync(join(path('outbox'), 'a.xml'));
  publisher = await start();
  await publisher.recover(ALL_HOMES);
  await later();
  expect(readdirSync(path('outbox'))).toEqual([]);
  expect(await owed()).toEqual([]);
});

it('a folder that vanishes before its names are durable leaves them owed, until a start can tell', async () => {
  await publish('outbox');
  renameSync(path('outbox'), path('away'));
  clock.advance(3_000);
  await calm();
  expect(await owed()).toEqual(['a.xml']);
  mkdirSync(path('outbox'));
  await later();
  expect(await owed()).toEqual([]);
});
