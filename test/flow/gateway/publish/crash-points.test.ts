// What a start makes of what a crash left between two steps of a publication.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { type Publication, readOwed } from '#gateway/ledger/publications.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { invoice } from '../../../support/documents.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { forgetWritten } from '../../../support/world/ledger-rows.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

let service: ScriptedService;
let world: World<ScriptedService>;
let home: string;

beforeEach(async () => {
  world = await startWorld(scripted());
  ({ service } = world);
  home = homeFolder(world.data, 'acme-ab');
  await world.drop('acme-ab', 'i.xml', invoice());
  await world.receipt('acme-ab', 'i.xml', 'accepted');
  await until('the original', () => world.files('acme-ab', 'accepted').length === 1);
  await world.stop();
});

const everything = (): string[] =>
  ['receipts', 'accepted', 'refused', 'outbox'].flatMap((folder) => world.files('acme-ab', folder).map((name) => `${folder}/${name}`));
const owed = (): Promise<Publication[]> => world.administer(({ ledger }) => readOwed(ledger.read, ALL_HOMES));
const owe = (): Promise<void> => world.administer(({ ledger }) => forgetWritten(ledger));

it('committed, but not renamed: receipt and original are put into their folders', async () => {
  const before = everything();
  await owe();
  for (const { folder, name, staged } of await owed()) {
    mkdirSync(dirname(join(world.data, staged)), { recursive: true });
    renameSync(join(home, folder, name), join(world.data, staged));
  }
  expect(everything()).toEqual([]);
  await world.restart();
  expect(everything()).toEqual(before);
  expect(world.spooled('acme-ab')).toEqual([]);
  expect(service.creates()).toHaveLength(1);
});

it('renamed, but not noted, and taken by the ERP meanwhile: nothing is published again', async () => {
  for (const folder of ['receipts', 'accepted']) world.clear('acme-ab', folder);
  await owe();
  await world.restart();
  await world.stop();
  expect(everything()).toEqual([]);
  expect(await owed()).toEqual([]);
});

it('staged, but not committed: it is not owed, so it is removed', async () => {
  const orphans = [join(home, '.staged', 'ORPHAN'), join(world.data, 'staged', 'ORPHAN')];
  for (const orphan of orphans) writeFileSync(orphan, 'half a receipt');
  await world.restart();
  expect(orphans.filter((orphan) => existsSync(orphan))).toEqual([]);
});
