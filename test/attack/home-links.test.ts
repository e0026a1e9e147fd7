// A program that may write in its home puts a link in place of a folder: no road of the gateway follows it, and what it keeps out stays owed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readPublished } from '#gateway/ledger/publications.ts';
import { forgottenOriginals } from '#gateway/operate/forgotten.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { askAgain } from '#gateway/receive/redeliver.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { openTraces } from '#gateway/spool/trace.ts';
import { invoice } from '../support/documents.ts';
import { until } from '../support/until.ts';
import { SESSION } from '../support/world/world.ts';
import { ACCOUNT, type HomeStage, KEY, SECRET, startHomeStage } from './home-stage.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let stage: HomeStage;
beforeEach(async () => {
  stage = await startHomeStage();
});

const untouched = { [KEY]: SECRET };

/** Drops one that the service refuses; resolves with its item when the original is in refused/. */
async function refused(): Promise<string> {
  const { world, refuse } = stage;
  refuse(true);
  const item = await world.drop(ACCOUNT, 'i.xml', invoice());
  await until('the original', () => world.files(ACCOUNT, 'refused').length === 1);
  refuse(false);
  return item;
}

describe('publishing', () => {
  it('keeps a receipt owed, told once, until the folder is one again', async () => {
    const { world, lead, mend, inVault, pass, logged } = stage;
    lead('receipts');
    for (const name of ['one', 'two', 'three']) await world.drop(ACCOUNT, `${name}.xml`, invoice({ id: name }));
    await until('the originals', () => world.files(ACCOUNT, 'accepted').length === 3);
    await pass(10 * MINUTE_MS);
    expect(inVault()).toEqual(untouched);
    expect(logged('publish.kept-out')).toBe(1);
    mend('receipts');
    await pass(MINUTE_MS);
    expect(world.files(ACCOUNT, 'receipts').filter((name) => name.includes('accepted'))).toHaveLength(3);
  });

  it('keeps a refused original and a received document out of where links lead', async () => {
    const { world, service, lead, mend, inVault, pass, refuse } = stage;
    lead('refused');
    refuse(true);
    await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'refused');
    await pass(MINUTE_MS);
    expect(inVault()).toEqual(untouched);
    mend('refused');
    lead('outbox');
    service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-1' })));
    await pass(11 * MINUTE_MS);
    expect(inVault()).toEqual(untouched);
    mend('outbox');
    await pass(MINUTE_MS);
    expect([world.files(ACCOUNT, 'refused').length, world.files(ACCOUNT, 'outbox').length]).toEqual([1, 1]);
  });

  it('loses nothing when a start finds a link, or a folder that is missing for a moment', async () => {
    const { world, lead, mend, inVault, pass, inHome } = stage;
    lead('receipts');
    await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.restart();
    expect(inVault()).toEqual(untouched);
    mend('receipts');
    renameSync(inHome('receipts'), inHome('.away'));
    await pass(2 * MINUTE_MS);
    renameSync(inHome('.away'), inHome('receipts'));
    await pass(2 * MINUTE_MS);
    expect(world.files(ACCOUNT, 'receipts')).toHaveLength(1);
  });
});

it.each(['receipts', 'accepted', 'refused', 'outbox'])('what is over its time is removed in %s, and not behind a link', async (folder) => {
  const { world, lead, mend, inVault, pass, inHome } = stage;
  writeFileSync(inHome(folder, 'old.xml'), 'old');
  lead(folder);
  await pass(HOUR_MS + MINUTE_MS);
  expect(inVault()).toEqual(untouched);
  mend(folder);
  await pass(HOUR_MS + MINUTE_MS);
  expect(world.files(ACCOUNT, folder)).toEqual([]);
});

it('a start removes nothing behind a link in place of .staged, and makes nothing behind one in place of inbox', async () => {
  const { world, lead, inVault } = stage;
  lead('.staged');
  await world.restart();
  expect(inVault()).toEqual(untouched);
  stage.mend('.staged');
  lead('inbox');
  await world.restart();
  expect(inVault()).toEqual(untouched);
});

describe('sending again', () => {
  it('by a rename out of refused moves nothing from behind a link', async () => {
    const { world, lead, inVault } = stage;
    lead('refused');
    const again = world
      .gateway()
      .intake.resend({ home: ACCOUNT, folder: 'inbox', name: KEY, login: 'erp', session: SESSION, kept: KEY })
      .then(
        () => 'taken',
        () => 'refused',
      );
    expect(await again).toBe('refused');
    expect(inVault()).toEqual(untouched);
    expect(world.spooled(ACCOUNT)).toEqual([]);
  });

  it('by command moves and copies nothing from behind a link', async () => {
    const { world, lead, inVault, vault } = stage;
    const item = await refused();
    const [kept = ''] = world.files(ACCOUNT, 'refused');
    lead('refused');
    writeFileSync(join(vault, kept), SECRET);
    await expect(world.operate((on) => resendItem(on, item))).rejects.toMatchObject({ code: 'missing' });
    expect(inVault()).toEqual({ ...untouched, [kept]: SECRET });
    expect(world.spooled(ACCOUNT)).toEqual([]);
  });
});

describe('what is behind a link is not', () => {
  it('listed, counted or found', async () => {
    const { world, lead, vault } = stage;
    writeFileSync(join(vault, 'a.0000000a.xml'), SECRET);
    writeFileSync(join(vault, 'a.xml.0000000a.accepted.json'), SECRET);
    const usage = (): Promise<unknown> => measureHome(world.data, ACCOUNT, () => false);
    const before = await usage();
    for (const folder of ['accepted', 'receipts', 'inbox']) {
      lead(folder);
      expect(await usage(), folder).toEqual(before);
      expect(await world.gateway().intake.view({ home: ACCOUNT, folder: 'inbox' }, SESSION)).toEqual([]);
      expect(await world.operate((on) => forgottenOriginals(on, { sinceMs: 0 }))).toEqual([]);
      expect(openTraces(world.data)({ item: '01ARZ3NDEKTSV4RRFF0000000A', home: ACCOUNT })).toBeUndefined();
      stage.mend(folder);
    }
  });

  it('taken, when it stands for inbox or inbox/overwrite', async () => {
    const { world, lead, mend, pass, inVault, vault, inHome } = stage;
    mkdirSync(join(vault, 'overwrite'));
    writeFileSync(join(vault, 'overwrite', 'a.xml'), invoice());
    lead('inbox');
    await pass(2 * MINUTE_MS);
    mend('inbox');
    rmSync(inHome('inbox', 'overwrite'), { recursive: true });
    symlinkSync(vault, inHome('inbox', 'overwrite'));
    await pass(2 * MINUTE_MS);
    expect(readdirSync(join(vault, 'overwrite'))).toEqual(['a.xml']);
    rmSync(join(vault, 'overwrite'), { recursive: true });
    expect(inVault()).toEqual(untouched);
    expect(stage.logged('watch.failed')).toBeGreaterThan(0);
    expect(world.files(ACCOUNT, 'receipts')).toEqual([]);
  });

  it('taken for a document that still lies in the outbox', async () => {
    const { world, service, lead, mend, pass, vault } = stage;
    const { integrationId } = service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-1' })));
    await pass(11 * MINUTE_MS);
    const [name = ''] = world.files(ACCOUNT, 'outbox');
    world.clear(ACCOUNT, 'outbox');
    writeFileSync(join(vault, name), SECRET);
    lead('outbox');
    await world.administer(({ ledger, clock }) => askAgain(ledger, integrationId, clock.now()));
    await pass(11 * MINUTE_MS);
    mend('outbox');
    await pass(2 * MINUTE_MS);
    expect(world.files(ACCOUNT, 'outbox')).toEqual([name]);
    expect(readFileSync(join(vault, name), 'utf8')).toBe(SECRET);
    const published = await world.administer(({ ledger }) => readPublished(ledger.read, ACCOUNT, integrationId, 'version 2'));
    expect(published).toBeUndefined();
  });
});

describe('links in the archive', () => {
  const day = (): string => new Date(stage.world.clock.now()).toISOString().slice(0, 10);
  const archived = (...below: string[]): string => join(stage.world.data, 'archive', ACCOUNT, ...below);

  it('in place of a day and of files: nothing is written or removed behind them, and what arrives is archived when they are gone', async () => {
    const { world, service, pass, inVault, vault } = stage;
    mkdirSync(archived(), { recursive: true });
    symlinkSync(vault, archived('2020-01-01'));
    symlinkSync(vault, archived(day()));
    service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-1' })));
    const today = day();
    await pass(11 * MINUTE_MS);
    expect(inVault()).toEqual(untouched);
    expect(world.files(ACCOUNT, 'outbox')).toEqual([]);
    rmSync(archived(today));
    await pass(HOUR_MS);
    expect(readdirSync(archived()).flatMap((name) => readdirSync(archived(name)))).toHaveLength(1);
    expect(existsSync(archived('2020-01-01'))).toBe(false);
    expect(inVault()).toEqual(untouched);
  });
});
