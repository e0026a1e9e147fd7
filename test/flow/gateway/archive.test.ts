// The archive of both directions: what it holds, the chain of its days, and what is told of one that somebody has touched.
import { verify as verifySignature } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyArchive } from '#gateway/archive/verify.ts';
import { changeReceiving, setServed } from '#gateway/operate/account-rules.ts';
import { removeAccount } from '#gateway/operate/accounts.ts';
import { withInstallation } from '#operations/ledgers.ts';
import { runOperation } from '#operations/run.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { invoice } from '../../support/documents.ts';
import { command } from '../../support/terminal.ts';
import { standIn } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

async function start(keptMs = 30 * DAY_MS): Promise<World> {
  return startWorld(standIn(), { settings: { archive: keptMs } });
}

const archive = (world: World, ...below: string[]): string => join(world.data, 'archive', ACCOUNT, ...below);
const dayOf = (world: World): string => new Date(world.clock.now()).toISOString().slice(0, 10);

/** An invoice that the service takes; resolves with the day on which it ended. */
async function sent(world: World, name: string): Promise<string> {
  await world.drop(ACCOUNT, name, invoice({ id: name }));
  await world.inTime(`${name} to be accepted`, () => world.stages(ACCOUNT, name).includes('accepted'));
  return dayOf(world);
}

/** The day ends, and is closed. */
async function closed(world: World, day: string): Promise<void> {
  await world.inTime(`${day} to be closed`, () => readdirSync(archive(world, day)).includes('manifest.json'), HOUR_MS);
}

/** Two closed days, with an original and its receipts in each. */
async function twoDays(world: World): Promise<[string, string]> {
  const one = await sent(world, 'one.xml');
  await closed(world, one);
  const two = await sent(world, 'two.xml');
  await closed(world, two);
  return [one, two];
}

it('holds what was sent, as it was, with its receipts', async () => {
  const world = await start();
  const day = await sent(world, 'one.xml');
  const [original = ''] = readdirSync(archive(world, day, 'sent'));
  expect(readFileSync(archive(world, day, 'sent', original))).toEqual(Buffer.from(invoice({ id: 'one.xml' })));
  const receipts = readdirSync(archive(world, day, 'receipts'));
  for (const receipt of world.files(ACCOUNT, 'receipts')) {
    expect(receipts).toContain(receipt);
    expect(readFileSync(archive(world, day, 'receipts', receipt))).toEqual(world.read(ACCOUNT, 'receipts', receipt));
  }
});

it('closes each day by a manifest that anybody can check, chained to the day before', async () => {
  const world = await start();
  const [one, two] = await twoDays(world);
  const read = (day: string, name: string): Buffer => readFileSync(archive(world, day, name));
  const key = readFileSync(join(world.data, 'keys', 'archive.pub'));
  for (const day of [one, two]) expect(verifySignature(null, read(day, 'manifest.json'), key, read(day, 'manifest.sig'))).toBe(true);
  expect(JSON.parse(read(two, 'manifest.json').toString()).before.day).toBe(one);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ days: 2, differences: [] });
});

/** Somebody touches the archive; which day and file are to be told, and what of them. */
type Touch = (world: World, one: string, two: string) => [day: string, file: string | null, problem: string];

it.each<[string, Touch]>([
  [
    'a changed file',
    (world, one) => {
      const [name = ''] = readdirSync(archive(world, one, 'sent'));
      appendFileSync(archive(world, one, 'sent', name), ' ');
      return [one, `sent/${name}`, 'changed'];
    },
  ],
  [
    'a removed one',
    (world, _, two) => {
      const [name = ''] = readdirSync(archive(world, two, 'receipts'));
      rmSync(archive(world, two, 'receipts', name));
      return [two, `receipts/${name}`, 'removed'];
    },
  ],
  [
    'an added one',
    (world, one) => {
      writeFileSync(archive(world, one, 'sent', 'late.xml'), 'late');
      return [one, 'sent/late.xml', 'added'];
    },
  ],
  [
    'a manifest that was written anew',
    (world, one) => {
      const path = archive(world, one, 'manifest.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"size": \d+/, '"size": 1'));
      return [one, 'manifest.json', 'changed'];
    },
  ],
  [
    'the last day, cut off',
    (world, _, two) => {
      rmSync(archive(world, two), { recursive: true });
      return [two, null, 'removed'];
    },
  ],
  [
    'the first day, cut off',
    (world, one) => {
      rmSync(archive(world, one), { recursive: true });
      return [one, null, 'removed'];
    },
  ],
  [
    'a day that was not there',
    (world, one) => {
      renameSync(archive(world, one, 'sent'), archive(world, one, 'elsewhere'));
      renameSync(archive(world, one, 'elsewhere'), archive(world, one, 'sent'));
      const before = new Date(Date.parse(one) - DAY_MS).toISOString().slice(0, 10);
      renameSync(archive(world, one, 'receipts'), archive(world, before));
      return [before, null, 'added'];
    },
  ],
])('tells %s', async (_, touch) => {
  const world = await start();
  const [one, two] = await twoDays(world);
  const [day, file, problem] = touch(world, one, two);
  const { differences } = await verifyArchive(world.data, ACCOUNT);
  expect(differences).toContainEqual({ accountRegNo: ACCOUNT, day, file, problem });
});

it('days that were kept for long enough go, and are not missed', async () => {
  const world = await start(3 * DAY_MS);
  const [one] = await twoDays(world);
  await world.inTime('the first day to go', () => !readdirSync(archive(world)).includes(one), HOUR_MS);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ differences: [] });
  const told = world.log.filter((line) => line.includes('"event":"archive.removed"'));
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{ accountRegNo: ACCOUNT, days: 1, last: one }]);
});

it('an archive that is switched off keeps the days that it has', async () => {
  const world = await start();
  const days = await twoDays(world);
  await world.administer((on) => changeReceiving(on, ACCOUNT, { archive: 0 }));
  await world.pass(2 * DAY_MS, HOUR_MS);
  expect(readdirSync(archive(world))).toEqual(days);
  await world.drop(ACCOUNT, 'three.xml', invoice({ id: 'three' }));
  await world.inTime('it to be accepted', () => world.stages(ACCOUNT, 'three.xml').includes('accepted'));
  expect(readdirSync(archive(world))).toEqual(days);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ days: 2, differences: [] });
});

it('days of an account that is disabled are closed, and go by its own period', async () => {
  const world = await start();
  await world.administer((on) => changeReceiving(on, ACCOUNT, { archive: 60 * DAY_MS }));
  const day = await sent(world, 'one.xml');
  await world.administer((on) => setServed(on, ACCOUNT, false));
  await closed(world, day);
  // By the settings it would go after 30.
  await world.pass(40 * DAY_MS, 6 * HOUR_MS);
  expect(readdirSync(archive(world))).toEqual([day]);
  await world.pass(25 * DAY_MS, 6 * HOUR_MS);
  expect(readdirSync(archive(world))).toEqual([]);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ differences: [] });
});

it('days of an account that was removed are closed, and stay: nobody knows its period any more', async () => {
  const world = await start();
  const day = await sent(world, 'one.xml');
  await world.administer((on) => removeAccount(on, ACCOUNT));
  await closed(world, day);
  await world.pass(40 * DAY_MS, 6 * HOUR_MS);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ days: 1, differences: [] });
});

it('a day whose closing was cut off is closed again at the next start', async () => {
  const world = await start();
  const [one, two] = await twoDays(world);
  await world.stop();
  const ends = join(world.data, 'keys', 'archive', `${ACCOUNT}.json`);
  const { before } = JSON.parse(readFileSync(archive(world, two, 'manifest.json'), 'utf8'));
  writeFileSync(ends, JSON.stringify({ closed: before, thinned: null }));
  rmSync(archive(world, two, 'manifest.json'));
  writeFileSync(archive(world, two, 'sent', 'half.xml.new'), 'ha');
  await world.restart();
  await closed(world, two);
  expect(one < two).toBe(true);
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ days: 2, differences: [] });
});

it.each([
  ['the end of the chain', (data: string) => join(data, 'keys', 'archive', `${ACCOUNT}.json`), 'no-chain', 2, 'says how far the chain'],
  ['the key', (data: string) => join(data, 'keys', 'archive.key'), 'no-key', 0, 'keys/archive.key is not there'],
] as const)('closed days without %s cannot be vouched for', async (_, pathOf, problem, days, sentence) => {
  const world = await start();
  const [, last] = await twoDays(world);
  await world.stop();
  renameSync(pathOf(world.data), join(world.data, 'elsewhere'));
  const differences = [{ accountRegNo: ACCOUNT, day: last, file: null, problem }];
  expect(await verifyArchive(world.data, ACCOUNT)).toMatchObject({ days, differences });
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const { status, out } = await command(['archive', 'verify', '--config', config]);
  expect({ status, out }).toEqual({ status: 1, out: expect.stringContaining(sentence) });
});

it('an account whose whole folder is gone is missed', async () => {
  const world = await start();
  const [, last] = await twoDays(world);
  await world.stop();
  rmSync(archive(world), { recursive: true });
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const { status, out } = await command(['archive', 'verify', '--json', '--config', config]);
  expect(status).toBe(1);
  expect(JSON.parse(out).differences).toEqual([{ accountRegNo: ACCOUNT, day: last, file: null, problem: 'removed' }]);
});

it('what was changed is told without the end of the chain, too', async () => {
  const world = await start();
  const [one] = await twoDays(world);
  await world.stop();
  rmSync(join(world.data, 'keys', 'archive', `${ACCOUNT}.json`));
  writeFileSync(archive(world, one, 'sent', 'late.xml'), 'late');
  const { differences } = await verifyArchive(world.data, ACCOUNT);
  expect(differences).toContainEqual({ accountRegNo: ACCOUNT, day: one, file: 'sent/late.xml', problem: 'added' });
});

it('verify tells how far it has come, by the days of each account', async () => {
  const world = await start();
  await twoDays(world);
  await world.stop();
  const path = join(world.data, 'dropgate.yaml');
  writeFileSync(path, `data: ${world.data}\n`);
  const told: string[] = [];
  const { config } = loadConfig(path, undefined);
  await withInstallation(
    config,
    (text) => told.push(text),
    (on) => runOperation(on, 'archive.verify', {}),
  );
  expect(told).toEqual(['account 1 of 1', 'account 1 of 1, day 1 of 2', 'account 1 of 1, day 2 of 2']);
});

it('an installation without an archive has nothing that could differ', async () => {
  const world = await startWorld(standIn());
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const { status, out } = await command(['archive', 'verify', '--config', config]);
  expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining('0 accounts, 0 closed days') });
});

it('verify of one account refuses an unknown one, and says of a known one that it has no archive', async () => {
  const world = await startWorld(standIn());
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const verify = (account: string) => command(['archive', 'verify', '--account', account, '--config', config]);
  expect(await verify('nobody')).toMatchObject({ status: 66, out: '', err: expect.stringContaining('There is no account nobody.') });
  expect(await verify(ACCOUNT)).toMatchObject({ status: 0, out: expect.stringContaining(`Account ${ACCOUNT} has no archive`) });
});
