// All that there is of an account, handed out and erased, on the command line.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readFilesOf } from '#gateway/ledger/account-data.ts';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { keepFetch } from '#gateway/ledger/fetches.ts';
import { deleteWrittenFiles } from '#gateway/ledger/retention.ts';
import { changeAccount, setServed } from '#gateway/operate/account-rules.ts';
import { eraseArchive, eraseHere, foreseeErasureHere } from '#gateway/operate/erase.ts';
import { withInstallation } from '#operations/ledgers.ts';
import { runOperation } from '#operations/run.ts';
import type { OperationName } from '#operations/table.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { BUYER, invoice, SELLER } from '../../support/documents.ts';
import { FAULTS } from '../../support/stand-in/manners.ts';
import type { StandIn } from '../../support/stand-in/stand-in.ts';
import { type CommandResult, command } from '../../support/terminal.ts';
import { standIn } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const OTHER = 'other-ab';
/** Stands in the documents of the account, and nowhere else. */
const MARK = 'Kvittens-7f3a';

interface Site {
  readonly world: World<StandIn>;
  run(...args: string[]): Promise<CommandResult>;
}

/** An account with a document that was sent, one that was refused, one that a repair is suggested for, and an archive. */
async function start(): Promise<Site> {
  const world = await startWorld(standIn(), { accounts: { [ACCOUNT]: 'key', [OTHER]: 'other' }, settings: { archive: 30 * 86_400_000 } });
  writeFileSync(join(world.data, 'dropgate.yaml'), `data: ${world.data}\nrole: gateway\nservice: {url: ${world.service.url}}\n`);
  await world.drop(ACCOUNT, `${MARK}.xml`, invoice({ id: MARK, note: MARK }));
  await world.inTime('it to be accepted', () => world.stages(ACCOUNT, `${MARK}.xml`).includes('accepted'));
  await world.drop(ACCOUNT, `${MARK}-bad.xml`, MARK);
  await world.inTime('it to be refused', () => world.stages(ACCOUNT, `${MARK}-bad.xml`).includes('refused'));
  await world.administer((on) => changeAccount(on, ACCOUNT, { validate: 'local', repair: 'suggest' }));
  await world.gateway().refreshAccounts();
  const slip = Buffer.from(invoice({ id: `${MARK}-slip`, issueDate: '2026-05-31' })).toString();
  await world.drop(ACCOUNT, `${MARK}-slip.xml`, slip.replace('2026-05-31', '31.05.2026'));
  await world.inTime('a repair to be suggested', () => world.files(ACCOUNT, 'refused').some((name) => name.includes('.suggested.')));
  await world.drop(OTHER, 'kept.xml', invoice({ id: 'kept' }));
  await world.inTime('it to be accepted', () => world.stages(OTHER, 'kept.xml').includes('accepted'));
  return { world, run: (...args) => command([...args, '--config', join(world.data, 'dropgate.yaml')]) };
}

/** Files below a folder that hold the text, in their bytes or their names. */
function holding(folder: string, text: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return path.includes(text) || (entry.isFile() && readFileSync(path).includes(text)) ? [path] : [];
  });
}

/** The folder that an export has written, and how its lines are read. */
async function exported({ run }: Pick<Site, 'run'>): Promise<{ readonly to: string; readonly linesOf: (file: string) => unknown[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const to = join(folder, 'out');
  expect(await run('account', 'export', ACCOUNT, '--to', to, '--yes')).toMatchObject({ status: 0 });
  const linesOf = (file: string): unknown[] =>
    readFileSync(join(to, 'gateway', file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { to, linesOf };
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

it('export writes everything of the account, readable, into a folder that was not there', async () => {
  const { world, run } = await start();
  const { to, linesOf } = await exported({ run });
  expect(linesOf('sent.jsonl')).toMatchObject([
    { state: 'accepted', documentId: MARK, attempts: [{ outcome: 'accepted', endedAt: expect.stringMatching(MOMENT) }], unfinished: null },
    { state: 'refused' },
    {
      state: 'refused',
      published: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/\.suggested\.xml$/) })]),
    },
  ]);
  for (const folder of ['accepted', 'refused']) {
    const names = world.files(ACCOUNT, folder);
    expect(readdirSync(join(to, 'gateway', 'home', folder)).sort()).toEqual(names.sort());
    for (const name of names) expect(readFileSync(join(to, 'gateway', 'home', folder, name))).toEqual(world.read(ACCOUNT, folder, name));
  }
  expect(readdirSync(join(to, 'gateway', 'archive'))).not.toEqual([]);
  expect(await run('account', 'export', ACCOUNT, '--to', to, '--yes')).toMatchObject({ status: 73 });
  expect(await run('account', 'export', 'nobody', '--to', `${to}-of-nobody`, '--yes')).toMatchObject({ status: 66 });
  expect(readdirSync(join(to, '..'))).toEqual(['out']);
});

it('export has the bytes of what has not ended, under the name that its original would have, and nothing on its way into the home', async () => {
  const { world, run } = await start();
  world.service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.down : undefined);
  const bytes = Buffer.from(invoice({ id: 'waits' }));
  const item = await world.drop(ACCOUNT, 'räkning.xml', bytes);
  const staged = join('homes', ACCOUNT, '.staged', 'half');
  writeFileSync(join(world.data, staged), MARK);
  const { to, linesOf } = await exported({ run });
  const unfinished = `unfinished/räkning.${item.slice(-8).toLowerCase()}.xml`;
  expect(linesOf('sent.jsonl').at(-1)).toMatchObject({ state: 'pending', item, unfinished });
  expect(readFileSync(join(to, 'gateway', unfinished))).toEqual(bytes);
  expect(readdirSync(join(to, 'gateway', 'unfinished'))).toHaveLength(1);
  expect(existsSync(join(to, 'gateway', 'home', '.staged'))).toBe(false);
});

it('export tells each document that was received, also when that it was put into an outbox is not kept any more', async () => {
  const { world, run } = await start();
  const arrived = ['R-1', 'R-2'].map((id) => world.service.arrive(ACCOUNT, Buffer.from(invoice({ id }))).integrationId);
  await world.inTime('both to be marked', () => world.service.holding.all.filter(({ readAt }) => readAt !== null).length === 2, 60_000);
  const [file = ''] = world.files(ACCOUNT, 'outbox').filter((name) => name.includes('R-1'));
  const inOutbox = () =>
    world.administer(async ({ ledger }) => (await readFilesOf(ledger.read, ACCOUNT, 0)).filter(({ folder }) => folder === 'outbox'));
  await world.inTime('both to be known as written', async () => (await inOutbox()).every(({ written_at }) => written_at !== null));
  const forgotten = (await inOutbox()).filter(({ name }) => name !== file).map(({ publication }) => publication);
  await world.administer(({ ledger }) => ledger.write([], (rows) => deleteWrittenFiles(rows, forgotten)));
  const { linesOf } = await exported({ run });
  const moment = expect.stringMatching(MOMENT);
  const facts = { family: 'Invoice', sender: SELLER, receiver: BUYER, version: 1, receivedAt: moment, markedAt: moment };
  const published = [{ home: ACCOUNT, folder: 'outbox', name: file, stage: expect.any(String), writtenAt: moment }];
  const lines = linesOf('received.jsonl');
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual({ integrationId: arrived[0], documentId: 'R-1', ...facts, published });
  expect(lines).toContainEqual({ integrationId: arrived[1], documentId: 'R-2', ...facts, published: [] });
});

it('export and erase tell how far they have come', async () => {
  const { world } = await start();
  await world.administer((on) => setServed(on, ACCOUNT, false));
  await world.stop();
  const { config } = loadConfig(join(world.data, 'dropgate.yaml'), undefined);
  const toldOf = async (name: OperationName, input: object): Promise<string[]> => {
    const told: string[] = [];
    await withInstallation(
      config,
      (text) => told.push(text),
      (on) => runOperation(on, name, { accountRegNo: ACCOUNT, ...input }),
    );
    return told;
  };
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const exported = await toldOf('account.export', { to: join(folder, 'out') });
  const files = ['accepted', 'refused', 'receipts'].reduce((sum, each) => sum + world.files(ACCOUNT, each).length, 0);
  expect(exported).toEqual(expect.arrayContaining(['3 dropped files', '0 received documents', `${files} files of its home`]));
  expect(exported.at(-1)).toBe('its archive');
  expect(await toldOf('account.erase', { archive: true, dryRun: false })).toEqual(
    expect.arrayContaining([
      '3 dropped files erased',
      '0 received documents erased',
      'erasing its archive',
      'wiping the files of the ledgers',
    ]),
  );
});

it('export tells who fetched what, and which uploads came to nothing', async () => {
  const { world, run } = await start();
  const [receipt = ''] = world.files(ACCOUNT, 'receipts');
  const at = { home: ACCOUNT, login: 'erp', address: '192.0.2.7', times: 2, atMs: world.clock.now() };
  const fetch = { ...at, folder: 'receipts', name: receipt, action: 'downloaded', key: 'SHA256:one', bytes: 7, sha256: null } as const;
  const failed = { ...at, fileName: 'half.xml', size: 3, reason: 'cut off' };
  await world.administer(({ ledger }) =>
    ledger.write([`home ${ACCOUNT}`], async (rows) => {
      await keepFetch(rows, fetch);
      await keepFailedUpload(rows, failed);
      await keepFailedUpload(rows, { ...failed, home: OTHER, fileName: 'other.xml' });
    }),
  );
  const { linesOf } = await exported({ run });
  const moment = new Date(at.atMs).toISOString();
  const by = { login: 'erp', address: '192.0.2.7', times: 2 };
  const fetched = { folder: 'receipts', file: receipt, action: 'downloaded', name: receipt, key: 'SHA256:one', bytes: 7, sha256: null };
  expect(linesOf('fetched.jsonl')).toEqual([{ ...fetched, ...by, firstAt: moment, lastAt: moment }]);
  expect(linesOf('failed.jsonl')).toEqual([{ file: 'half.xml', ...by, size: 3, reason: 'cut off', firstAt: moment, at: moment }]);
});

it('erase leaves nothing of the account in ledgers, their logs, homes and the archive, beside a daemon that runs', async () => {
  const { world, run } = await start();
  expect(holding(world.data, MARK).length).toBeGreaterThan(5);
  expect(await run('account', 'erase', ACCOUNT, '--yes')).toMatchObject({ status: 77, err: expect.stringContaining('disable it first') });
  await world.administer((on) => setServed(on, ACCOUNT, false));
  await world.inTime('it to be noticed', () => world.logged('accounts.changed') > 0);
  expect(await run('account', 'erase', ACCOUNT, '--archive', '--yes')).toMatchObject({
    status: 0,
    out: expect.stringContaining('was erased'),
  });
  expect(holding(world.data, MARK)).toEqual([]);
  expect(await run('account', 'erase', ACCOUNT, '--yes')).toMatchObject({ status: 66 });
  // The others are as they were.
  expect((await world.items()).map(({ accountRegNo }) => accountRegNo)).toEqual([OTHER]);
});

it('erase that was interrupted before the files of the ledgers were wiped is ended by another one', async () => {
  const { world, run } = await start();
  await world.administer(async (on) => {
    await setServed(on, ACCOUNT, false);
    const found = await foreseeErasureHere(on, ACCOUNT);
    if (found) await eraseHere(on, ACCOUNT, found, () => undefined);
    await eraseArchive(on, ACCOUNT);
  });
  expect(await run('account', 'erase', ACCOUNT, '--yes')).toMatchObject({ status: 66 });
  expect(holding(world.data, MARK)).toEqual([]);
});

it('a file that an erased account drops again is a duplicate', async () => {
  const { world, run } = await start();
  await world.administer((on) => setServed(on, ACCOUNT, false));
  await world.inTime('it to be noticed', () => world.logged('accounts.changed') > 0);
  expect(await run('account', 'erase', ACCOUNT, '--yes')).toMatchObject({ status: 0 });
  const changes = world.logged('accounts.changed');
  await world.addAccount(ACCOUNT, 'key');
  await world.inTime('it to be served', () => world.logged('accounts.changed') > changes);
  await world.drop(ACCOUNT, 'again.xml', invoice({ id: MARK, note: MARK }));
  await world.inTime('it to end', () => world.stages(ACCOUNT, 'again.xml').includes('duplicate'));
});

it('erase asks once, and does nothing for another answer', async () => {
  const { world } = await start();
  await world.administer((on) => setServed(on, ACCOUNT, false));
  const given = ['account', 'erase', ACCOUNT, '--config', join(world.data, 'dropgate.yaml')];
  const refused = await command(given, 'yes');
  expect(refused).toMatchObject({ status: 64, out: expect.stringContaining('its home with all files in it') });
  expect(await world.items({ accountRegNo: ACCOUNT })).toHaveLength(3);
  expect(await command(given, ACCOUNT)).toMatchObject({ status: 0 });
  expect(await world.items({ accountRegNo: ACCOUNT })).toEqual([]);
});
