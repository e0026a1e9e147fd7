// What has ended leaves the ledger when its period is over; what is owed, under way or waits for a person never does, and what was sent stays known.
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keepFailedUpload, readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { deleteFailedUploads, readFailedUploadPage } from '#gateway/ledger/retention.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { invoice } from '../../../support/documents.ts';
import { retentionRounds } from '../../../support/retention.ts';
import { created, refusal, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World, type WorldOptions } from '../../../support/world/world.ts';

const DAY_MS = 86_400_000;
const PERIODS = { keepItems: 100 * DAY_MS, keepAccepted: DAY_MS, keepReceipts: DAY_MS };

/** The service takes invoices, and shows under which id it has them. */
const KNOWN = 'f3b5d1c0-0000-4000-8000-000000000001';

function start(script?: Script, options: WorldOptions = {}): Promise<World<ScriptedService>> {
  return startWorld(scripted(script), { settings: PERIODS, ...options });
}

async function ended(world: World, name: string, bytes: Uint8Array | string = invoice(), stage = 'accepted'): Promise<string> {
  const item = await world.drop('acme-ab', name, bytes);
  await world.inTime(`${name} to end`, () => world.stages('acme-ab', name).includes(stage));
  return item;
}

const ids = async (world: World): Promise<string[]> => (await world.items()).map(({ item }) => item);
const rows = (world: World, table: string) => world.administer(({ ledger }) => dumpTable({ gateway: ledger }, table));

it('what ended longer ago than the period goes, with all that stands about it', async () => {
  const world = await start();
  await ended(world, 'good.xml');
  await ended(world, 'bad.xml', 'no document', 'refused');
  await world.pass(80 * DAY_MS, DAY_MS);
  const young = await ended(world, 'young.xml', invoice({ id: 'young' }));
  expect(await ids(world)).toHaveLength(3);
  await world.pass(25 * DAY_MS, DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([young]);
  for (const table of ['attempts', 'deliveries', 'publications']) {
    const of = (await rows(world, table)).map(({ item, subject }) => item ?? subject);
    expect(new Set(of)).toEqual(new Set([young]));
  }
});

it('a file that is dropped again is a duplicate for ever', async () => {
  const world = await start(({ method }) => (method === 'POST' ? created(KNOWN) : { status: 204 }));
  await ended(world, 'first.xml');
  await world.pass(2_000 * DAY_MS, 30 * DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([]);
  expect(JSON.stringify(await rows(world, 'sent_before'))).not.toMatch(/1001|7350000000016|acme/);

  await ended(world, 'again.xml', invoice(), 'duplicate');
  const receipt = await world.receipt('acme-ab', 'again.xml', 'duplicate');
  expect(receipt.integrationId).toBe(KNOWN);
});

it('another document of a number that the service does not show any more is refused, not looked for without end', async () => {
  const world = await start(({ method }) => (method === 'POST' ? created(KNOWN) : { status: 204 }));
  await ended(world, 'first.xml');
  await world.pass(200 * DAY_MS, 10 * DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([]);
  world.service.script = ({ method }) => (method === 'POST' ? refusal(409, 'E_CONFLICT', { integrationId: KNOWN }) : { status: 204 });
  await ended(world, 'other.xml', invoice({ note: 'Something else.' }), 'refused');
});

it('nothing that is owed, under way, held, or sent again goes, however old it is', async () => {
  const world = await start(({ method, body }) => {
    if (method !== 'POST') return { status: 204 };
    return /<cbc:ID>(held|waits)</.test(body.toString()) ? { status: 500 } : created();
  });
  const waits = await world.drop('acme-ab', 'waits.xml', invoice({ id: 'waits' }));
  await world.pass(400 * DAY_MS, 2 * DAY_MS);
  await retentionRounds(world);
  const [found] = await world.items();
  expect(found).toMatchObject({ item: waits, state: 'held' });
});

it('a file that is still owed to its home keeps its item', async () => {
  const world = await start();
  // The folder of receipts is not there: what is owed to it waits.
  rmSync(world.home('acme-ab', 'receipts'), { recursive: true });
  const item = await world.drop('acme-ab', 'owed.xml', invoice());
  await world.inTime('it to end', async () => (await world.count('accepted')) === 1);
  await world.pass(300 * DAY_MS, 3 * DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([item]);
});

it('an account may have periods of its own, also while it is disabled', async () => {
  const world = await start();
  await world.administer((on) => changeAccount(on, 'acme-ab', { keep: { items: 400 * DAY_MS } }));
  await ended(world, 'kept.xml');
  await world.pass(200 * DAY_MS, 5 * DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toHaveLength(1);
  await world.administer((on) => changeAccount(on, 'acme-ab', { keep: { items: null } }));
  await world.pass(2_000);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([]);
});

it('an item that another one sends again stays until that one has ended', async () => {
  const world = await start(({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 }));
  const refused = await ended(world, 'refused.xml', invoice(), 'refused');
  world.service.script = () => ({ status: 500 });
  const again = await world.operate((on) => resendItem(on, refused));
  await world.pass(300 * DAY_MS, 2 * DAY_MS);
  await retentionRounds(world);
  expect(await ids(world)).toEqual([refused, again]);
});

describe('uploads that came to nothing', () => {
  const FAILED = { login: 'erp', address: '192.0.2.1', size: 10, reason: 'too large', times: 1 };

  async function fails(world: World, home: string, ...fileNames: readonly string[]): Promise<void> {
    await world.administer(({ ledger, clock }) =>
      ledger.write([], async (rows) => {
        for (const fileName of fileNames) await keepFailedUpload(rows, { ...FAILED, home, fileName, atMs: clock.now() });
      }),
    );
  }

  const remembered = (world: World, ...homes: readonly string[]): Promise<string[][]> =>
    world.administer(({ ledger }) =>
      Promise.all(homes.map(async (home) => (await readFailedUploads(ledger.read, home)).map(({ fileName }) => fileName))),
    );

  it('go when their period is over though no other one fails, of an account that is gone as well, and stay where the account has a longer one', async () => {
    const world = await start(undefined, { settings: { keepItems: null, keepFailedUploads: 10 * DAY_MS } });
    await world.addAccount('globex-ab', 'key-b');
    await world.administer((on) => changeAccount(on, 'globex-ab', { keep: { failedUploads: 20 * DAY_MS } }));
    const many = Array.from({ length: 50 }, (_, at) => `${at}.xml`);
    await fails(world, 'acme-ab', ...many);
    await fails(world, 'globex-ab', 'long.xml');
    await fails(world, 'gone-ab', 'gone.xml');
    await world.pass(8 * DAY_MS, DAY_MS);
    await fails(world, 'acme-ab', '7.xml');
    await retentionRounds(world);
    expect((await remembered(world, 'acme-ab', 'globex-ab', 'gone-ab')).map(({ length }) => length)).toEqual([50, 1, 1]);
    await world.pass(2 * DAY_MS, DAY_MS);
    await retentionRounds(world);
    expect(await remembered(world, 'acme-ab', 'globex-ab', 'gone-ab')).toEqual([['7.xml'], ['long.xml'], []]);
    await world.pass(10 * DAY_MS, DAY_MS);
    await retentionRounds(world);
    expect(await remembered(world, 'acme-ab', 'globex-ab')).toEqual([[], []]);
  });

  it('of which one is tried again while the others are deleted, that one stays', async () => {
    const world = await start();
    await fails(world, 'acme-ab', 'old.xml', 'again.xml');
    await world.administer(async ({ ledger, clock }) => {
      const beforeMs = clock.now() + 1;
      const { found } = await readFailedUploadPage(ledger.read, '');
      const again = { ...FAILED, home: 'acme-ab', fileName: 'again.xml', atMs: beforeMs };
      const deleted = await ledger.write([], async (rows) => {
        await keepFailedUpload(rows, again);
        return deleteFailedUploads(
          rows,
          found.map(({ upload }) => upload),
          beforeMs,
        );
      });
      expect(deleted).toBe(1);
    });
    expect(await remembered(world, 'acme-ab')).toEqual([['again.xml']]);
  });
});
