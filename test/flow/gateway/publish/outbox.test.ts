// What becomes of documents in the outbox: kept for as long as the account wants, reported when they are not picked up, archived, redelivered.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepFetch } from '#gateway/ledger/fetches.ts';
import { restartFeeds } from '#gateway/ledger/restart.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { askAgain, askUnread } from '#gateway/receive/redeliver.ts';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, numbers, type Polled, passing, poll, said, serve, started } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import { command } from '../../../support/terminal.ts';
import { until } from '../../../support/until.ts';
import type { World } from '../../../support/world/world.ts';

const DAY = 24 * HOUR;

async function withOne(receiving = {}): Promise<Polled & { world: World; integrationId: string; file: string; bytes: Buffer }> {
  const there = await serve();
  const world = await poll(there, receiving);
  await started(world, there.service);
  const bytes = Buffer.from(invoice({ id: 'R-1' }));
  const { integrationId } = there.service.arrive(ACCOUNT, bytes);
  await passing(world, 'the document', () => numbers(world).length === 1, 60_000);
  return { ...there, world, integrationId, bytes, file: world.files(ACCOUNT, 'outbox')[0] ?? '' };
}

/** Moves the gateway's clock to where the machine's is, which files are as old by, and on. */
function catchUp(world: World, ms: number): void {
  world.clock.advance(Math.max(Date.now() - world.clock.now(), 0) + ms);
}

const again = (world: World, id: string) => world.administer(({ ledger, clock }) => askAgain(ledger, id, clock.now()));
const redelivered = (world: World) => passing(world, 'redelivery', () => said(world, 'outbox.redelivered'));

it('a document that the ERP has taken is redelivered under the same name, while the daemon runs', async () => {
  const { world, integrationId, file, bytes } = await withOne();
  world.clear(ACCOUNT, 'outbox');
  await again(world, integrationId.slice(-8));
  await redelivered(world);
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file]);
  expect(world.read(ACCOUNT, 'outbox', file).equals(bytes)).toBe(true);
});

it('commands say that it is done as soon as the daemon runs, where none does', async () => {
  const { world, service, integrationId, file } = await withOne();
  await passing(world, 'the mark', () => service.holding.all[0]?.readAt !== null);
  world.clear(ACCOUNT, 'outbox');
  await world.stop();
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const told = (does: string): object => ({
    status: 0,
    out: `Invoice ${integrationId} will be ${does}, as soon as the daemon runs (in ${world.data}).`,
  });
  expect(await command(['redeliver', integrationId, '--config', config])).toMatchObject(
    told(`put into the outbox of ${ACCOUNT} once more`),
  );
  expect(await command(['mark-unread', integrationId, '--config', config])).toMatchObject(told('marked unread'));
  await world.restart();
  await redelivered(world);
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file]);
  await passing(world, 'the end of the mark', () => service.holding.all[0]?.readAt === null);
});

it('one that still lies there is redelivered beside itself; asked for twice, it comes once', async () => {
  const { world, integrationId, file } = await withOne();
  await again(world, integrationId);
  await again(world, integrationId);
  await redelivered(world);
  await passing(world, 'another poll', () => world.clock.now() > 0 && said(world, 'outbox.redelivered'), 60_000);
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file, file.replace('.xml', '~2.xml')]);
});

it('one that was received before the ledger was restored from a backup is redelivered all the same', async () => {
  const { world, service, integrationId, file } = await withOne();
  await passing(world, 'the mark', () => service.holding.all[0]?.readAt !== null);
  world.clear(ACCOUNT, 'outbox');
  await world.stop();
  await world.administer(({ ledger }) => ledger.write([], (rows) => restartFeeds(rows, ALL_HOMES)));
  await world.restart();
  await again(world, integrationId);
  await redelivered(world);
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file]);
});

it('redelivery that was asked for while the gateway was down is done at its start; an unknown id is refused', async () => {
  const { world, integrationId, file } = await withOne();
  world.clear(ACCOUNT, 'outbox');
  await world.stop();
  await expect(again(world, 'no-such-id')).rejects.toMatchObject({ code: 'missing' });
  await again(world, integrationId);
  await world.restart();
  await redelivered(world);
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file]);
});

it('what has lain longer than the account wants goes, and only that', async () => {
  const { world, file, integrationId } = await withOne({ keepOutbox: 2 * DAY });
  catchUp(world, DAY);
  world.clock.advance(HOUR);
  expect(numbers(world)).toEqual(['R-1']);
  world.clock.advance(2 * DAY);
  await passing(world, 'its end', () => numbers(world).length === 0, HOUR);
  await until('the log', () => said(world, 'outbox.removed'));
  await world.stop();
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const { out } = await command(['find', integrationId, '--config', config]);
  expect(out).toContain(`expired\t\toutbox/${file} was removed by keepOutbox`);
});

it('documents that are not picked up are reported once a day for each home', async () => {
  const { world } = await withOne({ pickup: DAY });
  const alarms = (): number => world.log.filter((line) => line.includes('outbox.not-picked-up') && line.includes('"level":"error"')).length;
  catchUp(world, DAY + HOUR);
  await passing(world, 'the alarm', () => alarms() === 1, HOUR);
  await passing(world, 'the next day’s', () => alarms() === 2, HOUR);
  expect(world.clock.now() - Date.now()).toBeGreaterThan(DAY + 2 * HOUR);
});

it('the alarm of documents that nobody fetches stands until a login has downloaded them', async () => {
  const { world, file } = await withOne({ pickup: DAY });
  const watcher = world
    .gateway()
    .watchers(() => 'off')
    .find(({ kinds }) => kinds.includes('not-fetched'));
  const late = async () => (await watcher?.look())?.stands ?? [];
  expect(await late()).toEqual([]);
  catchUp(world, DAY + HOUR);
  await world.inTime('the alarm', async () => (await late()).length === 1, HOUR);
  expect(await late()).toMatchObject([{ subject: ACCOUNT, sentence: expect.stringContaining('1 document lies in its outbox') }]);
  const download = { home: ACCOUNT, folder: 'outbox', name: file, action: 'downloaded', login: 'erp', address: '127.0.0.1' } as const;
  await world.administer(({ ledger, clock }) =>
    ledger.write([], (rows) => keepFetch(rows, { ...download, key: null, bytes: 1, sha256: null, atMs: clock.now(), times: 1 })),
  );
  await world.inTime('its end', async () => (await late()).length === 0, HOUR);
  expect(numbers(world)).toEqual(['R-1']);
});

it('an archive has a copy of each document, where no login sees it, for as long as the account wants', async () => {
  const { world, bytes } = await withOne({ archive: 3 * DAY });
  const folder = join(world.data, 'archive', ACCOUNT);
  const [day = ''] = readdirSync(folder);
  const [name = ''] = readdirSync(join(folder, day));
  expect(readFileSync(join(folder, day, name)).equals(bytes)).toBe(true);
  world.clock.advance(2 * DAY);
  expect(readdirSync(folder)).toEqual([day]);
  await passing(world, 'its end', () => readdirSync(folder).length === 0, HOUR);
});

it('an operator has one document marked unread, which publishes nothing here, and is not marked again', async () => {
  const { world, service, integrationId } = await withOne();
  const held = () => service.holding.all.find((each) => each.integrationId === integrationId);
  await passing(world, 'the mark', () => held()?.readAt !== null);
  await world.administer(({ ledger }) => askUnread(ledger, integrationId));
  await passing(world, 'the end of the mark', () => held()?.readAt === null);
  service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-2' })));
  await passing(world, 'the next', () => numbers(world).length === 2, 60_000);
  expect([numbers(world), held()?.readAt]).toEqual([['R-1', 'R-2'], null]);
});

it('a mark is taken back where the budget was spent when it was asked for, as soon as there is one again', async () => {
  const { world, service, integrationId } = await withOne();
  const held = () => service.holding.all.find((each) => each.integrationId === integrationId);
  await passing(world, 'the mark', () => held()?.readAt !== null);
  let refused = 0;
  service.manners.fault = ({ query }) => (query.get('markUnread') === 'true' && refused++ === 0 ? FAULTS.slowDown : undefined);
  await world.administer(({ ledger }) => askUnread(ledger, integrationId));
  await passing(world, 'the end of the mark', () => held()?.readAt === null);
  expect([refused, said(world, 'poll.not-unread')]).toEqual([2, false]);
});

it('what is asked for a home that was given up waits for who takes it up', async () => {
  const { world, service, integrationId } = await withOne();
  const held = () => service.holding.all.find((each) => each.integrationId === integrationId);
  await passing(world, 'the mark', () => held()?.readAt !== null);
  await world.gateway().giveUp(ACCOUNT);
  await world.administer(({ ledger }) => askUnread(ledger, integrationId));
  await world.pass(5_000, 500);
  expect(held()?.readAt).not.toBeNull();
  await world.gateway().takeUp(ACCOUNT);
  await passing(world, 'the end of the mark', () => held()?.readAt === null);
});

it('a second redelivery within two seconds of the first is done as well, beside it', async () => {
  const { world, integrationId, file } = await withOne();
  for (const count of [1, 2]) {
    await again(world, integrationId);
    await passing(world, 'redelivery', () => world.logged('outbox.redelivered') === count, 100);
  }
  expect(world.files(ACCOUNT, 'outbox')).toEqual([file, file.replace('.xml', '~2.xml'), file.replace('.xml', '~3.xml')]);
});
