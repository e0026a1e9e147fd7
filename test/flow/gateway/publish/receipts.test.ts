// Receipts of what is not an item yet, and of what is sent again: one for every stage, never two, never none.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '#domain/receipt.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import { readHistory } from '#gateway/ledger/searches.ts';
import { nameOfReceipt } from '#gateway/model/file-names.ts';
import type { DropFolder } from '#gateway/model/intake.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { invoice } from '../../../support/documents.ts';
import { obliging, refusal, type ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { RENAMER, SESSION, startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const INBOX: DropFolder = { home: ACCOUNT, folder: 'inbox' };
const MINUTE_MS = 60_000;

let service: ScriptedService;
let world: World<ScriptedService>;

beforeEach(async () => {
  world = await startWorld(scripted());
  ({ service } = world);
});

async function upload(name: string, bytes: Uint8Array, session = SESSION): Promise<string> {
  const { intake } = world.gateway();
  const opened = await intake.open({ ...INBOX, name, login: 'erp', session, resume: false });
  writeFileSync(opened.path, bytes);
  await intake.commit(opened.upload, { size: bytes.length, sha256: null });
  return opened.upload;
}

const receipts = (): string[] => world.files(ACCOUNT, 'receipts');
const stages = (): string[] => world.stages(ACCOUNT);

/** The clock goes on in steps, with a pause for what it calls. */
async function pass(ms: number, stepMs = 10_000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    world.clock.advance(Math.min(stepMs, left));
    await new Promise((next) => setImmediate(next));
  }
}

describe('a temporary name that is never renamed', () => {
  it('a receipt after ten minutes, once, over a restart too; refused after a day, under the same letters', async () => {
    const id = await upload('i.xml.part', invoice());
    await pass(9 * MINUTE_MS);
    expect(receipts()).toEqual([]);
    await pass(2 * MINUTE_MS);
    const waiting = await world.receipt(ACCOUNT, 'i.xml.part', 'waiting');
    expect(waiting).toMatchObject({ stage: 'waiting', action: 'rename', code: 'temporary-name', file: 'i.xml.part', documentId: null });
    expect(receipts()).toEqual([`i.xml.part.${id.slice(-8).toLowerCase()}.waiting.json`]);
    await pass(30 * MINUTE_MS);
    await world.restart();
    // Its age is that of the file now, which is as old as the machine's clock says.
    world.clock.advance(Math.max(0, Date.now() - world.clock.now()));
    await pass(20 * MINUTE_MS);
    expect(stages()).toEqual(['waiting']);
    world.clock.advance(24 * 60 * MINUTE_MS);
    await pass(MINUTE_MS);
    await until('the end', () => receipts().length === 2 && world.files(ACCOUNT, 'refused').length === 1);
    expect(receipts()).toEqual(['refused', 'waiting'].map((stage) => `i.xml.part.${id.slice(-8).toLowerCase()}.${stage}.json`));
    expect(world.files(ACCOUNT, 'refused')).toEqual([`i.xml.${id.slice(-8).toLowerCase()}.part`]);
  });

  it('none when it is renamed in time; and after a late rename the document goes all the same', async () => {
    await upload('a.xml.tmp', invoice({ id: 'A' }));
    await pass(5 * MINUTE_MS);
    const { intake } = world.gateway();
    await intake.rename({ ...INBOX, name: 'a.xml.tmp' }, { ...INBOX, name: 'a.xml' }, RENAMER);
    await world.receipt(ACCOUNT, 'a.xml', 'accepted');
    await upload('b.xml.tmp', invoice({ id: 'B' }));
    await pass(11 * MINUTE_MS);
    await world.receipt(ACCOUNT, 'b.xml.tmp', 'waiting');
    await intake.rename({ ...INBOX, name: 'b.xml.tmp' }, { ...INBOX, name: 'b.xml' }, RENAMER);
    await world.receipt(ACCOUNT, 'b.xml', 'accepted');
    await pass(20 * MINUTE_MS);
    expect(stages().sort()).toEqual(['accepted', 'accepted', 'waiting']);
  });

  it('a broken upload is shown for a day and then removed, without a receipt: its client was never told OK', async () => {
    const { intake } = world.gateway();
    const opened = await intake.open({ ...INBOX, name: 'i.xml', login: 'erp', session: SESSION, resume: false });
    writeFileSync(opened.path, 'half');
    await intake.abandon(opened.upload);
    await pass(23 * 60 * MINUTE_MS, 10 * MINUTE_MS);
    expect(await intake.find(INBOX, 'i.xml', 'another session')).toMatchObject({ size: 4 });
    await pass(2 * 60 * MINUTE_MS, 10 * MINUTE_MS);
    expect(await intake.find(INBOX, 'i.xml', 'another session')).toBeNull();
    expect(receipts()).toEqual([]);
  });

  it('a file whose receipt cannot be written is reported later', async () => {
    const id = await upload('i.xml.part', invoice());
    const staged = join(world.data, 'staged');
    renameSync(staged, `${staged}-away`);
    await pass(11 * MINUTE_MS);
    await until('the failure', () => world.logged('upload.unreported') > 0);
    renameSync(`${staged}-away`, staged);
    await pass(MINUTE_MS);
    await until('the receipt', () => receipts().length === 1);
    expect(receipts()[0]).toContain(id.slice(-8).toLowerCase());
  });
});

describe('what was refused', () => {
  async function refused(): Promise<string> {
    service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 });
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'refused');
    await until('the original', () => world.files(ACCOUNT, 'refused').length === 1);
    service.script = obliging;
    return item;
  }

  it('and is moved back into the inbox is a new item with receipts of its own, and knows what it sends again', async () => {
    const item = await refused();
    const [kept = ''] = world.files(ACCOUNT, 'refused');
    const taken = await world.gateway().intake.resend({ ...INBOX, name: kept, login: 'erp', session: SESSION, kept });
    await world.receipt(ACCOUNT, kept, 'accepted');
    expect(taken.state === 'taken' && taken.item).not.toBe(item);
    const [first, second] = service.creates();
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
    const history = await world.operate(async ({ ledger }) => readHistory(ledger.read, await itemNamed(ledger, item)));
    expect(history.resentAs).toEqual([taken.state === 'taken' && taken.item]);
    expect(world.files(ACCOUNT, 'refused')).toEqual([]);
    expect(new Set(receipts()).size).toBe(2);
  });

  it('and is moved back on disk is simply a drop', async () => {
    await refused();
    const [kept = ''] = world.files(ACCOUNT, 'refused');
    const home = homeFolder(world.data, ACCOUNT);
    renameSync(join(home, 'refused', kept), join(home, 'inbox', 'again.xml'));
    await world.inTime('the receipt', () => receipts().find((name) => name.startsWith('again.xml.') && name.endsWith('.accepted.json')));
    const [first, second] = service.creates();
    // The same content, so the same key: the service has refused it, and keeps no answer.
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });
});

it('a late no says that the same number may be dropped again', async () => {
  const published: Receipt[] = [];
  service.script = ({ method, path }) => {
    if (method === 'POST') return obliging({ method, path, query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) });
    if (!path.includes('status')) return { status: 204 };
    const uuid = published[0]?.integrationId;
    return uuid
      ? { status: 200, body: [{ uuid, readAt: null, metadata: { status: 'rejected', reason: 'wrong order number' } }] }
      : { status: 204 };
  };
  await world.drop(ACCOUNT, 'i.xml', invoice());
  published.push(await world.receipt(ACCOUNT, 'i.xml', 'accepted'));
  world.gateway().ringStatus(ACCOUNT, 'Invoice');
  await pass(7 * 60 * MINUTE_MS, MINUTE_MS);
  const receipt = await world.receipt(ACCOUNT, 'i.xml', 'rejected');
  expect(receipt).toMatchObject({ action: 'fix', code: 'receiver-rejected', message: expect.stringContaining('under the same number') });
});

it('an item that waits for hours is reported once, whatever it waits for', async () => {
  service.script = ({ method }) => (method === 'POST' ? refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION') : { status: 204 });
  await world.drop(ACCOUNT, 'i.xml', invoice());
  await pass(3 * 60 * MINUTE_MS, MINUTE_MS);
  expect(receipts()).toEqual([]);
  await world.inTime('a receipt for the dropper', () => receipts().length > 0, MINUTE_MS);
  expect(await world.receipt(ACCOUNT, 'i.xml', 'delayed')).toMatchObject({ action: 'wait' });
  await pass(3 * 60 * MINUTE_MS, MINUTE_MS);
  expect(stages()).toEqual(['delayed']);
  service.script = obliging;
  await world.inTime('the file to be accepted', () => stages().length === 2, MINUTE_MS);
  expect(stages().sort()).toEqual(['accepted', 'delayed']);
});

it('one that waits for hours and whose receipt cannot be written keeps none of the others from being reported', async () => {
  service.script = ({ method }) => (method === 'POST' ? refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION') : { status: 204 });
  const item = await world.drop(ACCOUNT, '1.xml', invoice({ id: 'A-1' }));
  await world.drop(ACCOUNT, '2.xml', invoice({ id: 'A-2' }));
  const name = nameOfReceipt('1.xml', item, 'delayed', 'json');
  await world.administer(({ ledger }) =>
    ledger.write([], async (rows) => {
      const taken = { accountRegNo: ACCOUNT, home: ACCOUNT, folder: 'receipts', staged: 'none', stage: 'delayed' } as const;
      await insertPublication(rows, { ...taken, name, subject: 'x' });
      await insertPublication(rows, { ...taken, name: `${item}_${name}`, subject: 'y' });
    }),
  );
  await world.inTime('the other', () => receipts().length > 0, MINUTE_MS);
  expect(receipts()).toEqual([expect.stringMatching(/^2\.xml\..*delayed/)]);
  expect(world.log.join('')).toContain('two files of receipts cannot be told apart');
});
