// The hand-over into custody and the view of an inbox: what clients see, what a restart finds.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readItem } from '#gateway/ledger/items.ts';
import type { DropFolder, Intake } from '#gateway/model/intake.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import { invoice } from '../../../support/documents.ts';
import { refusal, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { removeLedger } from '../../../support/world/ledger-files.ts';
import { scripted } from '../../../support/world/services.ts';
import { RENAMER, SESSION, startWorld, type World } from '../../../support/world/world.ts';

const refusing: Script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION') : { status: 204 });

const ITEMS_MAX = 50;
const INBOX: DropFolder = { home: 'acme-ab', folder: 'inbox' };
let service: ScriptedService;
let world: World<ScriptedService>;
let intake: Intake;

beforeEach(async () => {
  // Nothing is ever answered, so that items stay pending.
  world = await startWorld(
    scripted(({ method }) => (method === 'POST' ? { status: 503 } : { status: 204 })),
    { itemsMax: ITEMS_MAX },
  );
  ({ service } = world);
  intake = world.gateway().intake;
});

async function upload(name: string, bytes: Uint8Array | string, place = INBOX, resume = false): Promise<string> {
  const opened = await intake.open({ ...place, name, login: 'erp', session: SESSION, resume });
  writeFileSync(opened.path, bytes, { flag: 'a' });
  return opened.upload;
}
const close = (id: string, bytes: Uint8Array | string) => intake.commit(id, { size: Buffer.byteLength(bytes), sha256: null });
const names = async (place = INBOX): Promise<string[]> => (await intake.view(place, SESSION)).map(({ name }) => name).sort();

describe('CLOSE', () => {
  it('under a real name makes an item: file in the spool, row in the ledger, still in sight', async () => {
    const bytes = invoice();
    const taken = await close(await upload('i.xml', bytes), bytes);
    expect(taken.state).toBe('taken');
    expect(world.spooled('acme-ab')).toHaveLength(1);
    expect(await names()).toEqual(['i.xml']);
    expect((await intake.find(INBOX, 'i.xml', SESSION))?.size).toBe(bytes.length);
  });

  it.each(['i.xml.part', 'i.xml.filepart', '.i.xml', 'i.xml~', 'i.xml.a1b2c3d4.partial', 'i.xml.tmp'])(
    'under the temporary name %s waits; the rename is the commit',
    async (name) => {
      const bytes = invoice();
      expect(await close(await upload(name, bytes), bytes)).toEqual({ state: 'waiting' });
      expect(world.spooled('acme-ab')).toEqual([]);
      await intake.rename({ ...INBOX, name }, { ...INBOX, name: 'i.xml' }, RENAMER);
      expect(world.spooled('acme-ab')).toHaveLength(1);
      expect(await names()).toEqual(['i.xml']);
    },
  );

  it('in inbox/tmp waits for a rename into the inbox', async () => {
    const tmp: DropFolder = { ...INBOX, folder: 'tmp' };
    const bytes = invoice();
    await close(await upload('i.xml', bytes, tmp), bytes);
    expect(world.spooled('acme-ab')).toEqual([]);
    await intake.rename({ ...tmp, name: 'i.xml' }, { ...INBOX, name: 'i.xml' }, RENAMER);
    expect(world.spooled('acme-ab')).toHaveLength(1);
  });

  it('under a temporary name waits in another home, also after a restart, when it is moved there', async () => {
    const [bytes, name] = [invoice(), `${'å'.repeat(20)}.xml.tmp`];
    const other: DropFolder = { home: 'other-ab', folder: 'inbox' };
    await close(await upload(name, bytes), bytes);
    await intake.rename({ ...INBOX, name }, { ...other, name }, RENAMER);
    await world.restart();
    intake = world.gateway().intake;
    expect(await intake.find(INBOX, name, SESSION)).toBeNull();
    expect(await intake.find(other, name, SESSION)).toMatchObject({ state: 'waiting', size: bytes.length });
  });

  it('of two uploads of one name keeps both', async () => {
    const [one, two] = [invoice({ id: '1' }), invoice({ id: '2' })];
    const first = await upload('same.xml', one);
    const second = await upload('same.xml', two);
    await close(first, one);
    await close(second, two);
    expect(world.spooled('acme-ab')).toHaveLength(2);
    expect(await names()).toEqual(['same.xml']);
  });

  it('with a wrong folder fails and leaves nothing', async () => {
    const bytes = invoice();
    const id = await upload('i.xml', bytes);
    rmSync(join(world.data, 'spool', 'acme-ab'), { recursive: true });
    await expect(close(id, bytes)).rejects.toMatchObject({ code: 'storage' });
    expect(await names()).toEqual([]);
  });
});

describe('a lost connection', () => {
  it('commits nothing; the broken upload is seen and can be resumed, over a restart too', async () => {
    const bytes = Buffer.from(invoice());
    await intake.abandon(await upload('i.xml', bytes.subarray(0, 700)));
    expect(world.spooled('acme-ab')).toEqual([]);
    await world.restart();
    intake = world.gateway().intake;
    expect((await intake.find(INBOX, 'i.xml', SESSION))?.size).toBe(700);
    const opened = await intake.open({ ...INBOX, name: 'i.xml', login: 'erp', session: SESSION, resume: true });
    expect(opened.size).toBe(700);
    writeFileSync(opened.path, bytes.subarray(700), { flag: 'a' });
    expect((await close(opened.upload, bytes)).state).toBe('taken');
  });

  it('is not resumed by another login', async () => {
    await intake.abandon(await upload('i.xml', 'half'));
    const opened = await intake.open({ ...INBOX, name: 'i.xml', login: 'other', session: SESSION, resume: true });
    expect(opened.size).toBe(0);
  });

  it('leaves nothing after a day', async () => {
    await intake.abandon(await upload('i.xml', 'half'));
    await world.inTime('the end of the broken upload', async () => (await names()).length === 0, 3_600_000);
    expect(await names()).toEqual([]);
  });
});

it('a file that was never renamed to a real name is refused with a receipt after a day', async () => {
  const bytes = invoice();
  await close(await upload('i.xml.tmp', bytes), bytes);
  await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.endsWith('.refused.json')), 3_600_000);
  expect(service.creates()).toHaveLength(0);
});

it('an upload under way is seen without bytes, so that no client resumes what another writes', async () => {
  const id = await upload('i.xml', 'x'.repeat(700));
  expect((await intake.find(INBOX, 'i.xml', SESSION))?.size).toBe(0);
  await intake.abandon(id);
  expect((await intake.find(INBOX, 'i.xml', SESSION))?.size).toBe(700);
});

describe('REMOVE', () => {
  it('of a committed file hides it and cancels nothing', async () => {
    const bytes = invoice();
    await close(await upload('i.xml', bytes), bytes);
    await intake.remove(INBOX, 'i.xml', SESSION);
    expect(await names()).toEqual([]);
    expect(world.spooled('acme-ab')).toHaveLength(1);
  });

  it('of a waiting file discards it', async () => {
    await close(await upload('i.tmp', 'x'), 'x');
    await intake.remove(INBOX, 'i.tmp', SESSION);
    expect(await names()).toEqual([]);
  });

  it('of what is not there says so', async () => {
    await expect(intake.remove(INBOX, 'nothing.xml', SESSION)).rejects.toMatchObject({ code: 'missing' });
  });
});

describe('after CLOSE', () => {
  it('a file that has ended stays in sight while its session lives, and 60 seconds at least', async () => {
    service.script = refusing;
    const bytes = invoice();
    await close(await upload('i.xml', bytes), bytes);
    await world.receipt('acme-ab', 'i.xml', 'refused');
    world.clock.advance(59_000);
    expect(await names()).toEqual(['i.xml']);
    intake.leave(SESSION);
    await world.inTime('out of sight', async () => (await names()).length === 0, 10_000);
  });

  it('the shown name follows a rename, and so does the receipt', async () => {
    const bytes = invoice();
    await close(await upload('old.xml', bytes), bytes);
    await until('the first try', () => service.creates().length === 1);
    await intake.rename({ ...INBOX, name: 'old.xml' }, { ...INBOX, name: 'new.xml' }, RENAMER);
    expect(await names()).toEqual(['new.xml']);
    service.script = refusing;
    await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.startsWith('new.xml.')));
  });
});

describe('receipts of one file have one name, that of the first', () => {
  const receipts = (): string[] => world.files('acme-ab', 'receipts').sort();
  const rename = () => intake.rename({ ...INBOX, name: 'old.xml' }, { ...INBOX, name: 'new.xml' }, RENAMER);

  it('also when it was renamed after that', async () => {
    const bytes = invoice();
    await close(await upload('old.xml', bytes), bytes);
    await world.inTime('the first receipt', () => receipts().length === 1, 60_000);
    await rename();
    expect(await names()).toEqual(['new.xml']);
    service.script = refusing;
    await world.inTime('the last', () => receipts().length === 2 && world.files('acme-ab', 'refused').length === 1, 60_000);
    expect(receipts()).toEqual([expect.stringMatching(/^old\.xml\..*delayed/), expect.stringMatching(/^old\.xml\..*refused/)]);
    expect(world.files('acme-ab', 'refused')).toEqual([expect.stringMatching(/^old\./)]);
  });

  it('and while it was under way', async () => {
    const answered = Promise.withResolvers<void>();
    service.script = async ({ method }) => {
      if (method !== 'POST') return { status: 204 };
      await answered.promise;
      return refusal(422, 'E_VALIDATION');
    };
    const bytes = invoice();
    const taken = await close(await upload('old.xml', bytes), bytes);
    await until('the try', () => service.creates().length === 1);
    await rename();
    answered.resolve();
    await until('the receipt', () => receipts().length === 1);
    const item = taken.state === 'taken' ? taken.item : '';
    const row = await world.administer(({ ledger }) => readItem(ledger.read, item));
    expect(receipts()).toEqual([expect.stringContaining(`${row?.fileName}.`)]);
  });
});

it('what is listed can be read wherever it has moved to', async () => {
  const bytes = invoice();
  const item = await close(await upload('i.xml', bytes), bytes);
  const read = async (): Promise<string[]> =>
    (await intake.where(INBOX, 'i.xml', SESSION)).flatMap(({ root, components, name }) => {
      const path = join(root, ...components, name);
      return existsSync(path) ? [readFileSync(path, 'utf8')] : [];
    });
  expect(item.state).toBe('taken');
  expect(await read()).toEqual([Buffer.from(bytes).toString()]);
  service.script = refusing;
  await world.inTime('its end', () => world.files('acme-ab', 'refused').length === 1);
  expect(await names()).toEqual(['i.xml']);
  expect(await read()).toEqual([Buffer.from(bytes).toString()]);
});

it('a full inbox refuses the next upload with a sentence', async () => {
  const bytes = invoice();
  const uploaded = Array.from({ length: ITEMS_MAX }, (_, index) => `${index}.xml`);
  await forEachLimit(uploaded, 20, async (name) => close(await upload(name, bytes), bytes));
  await expect(upload('one-more.xml', bytes)).rejects.toThrow(`inbox is full: ${ITEMS_MAX} of ${ITEMS_MAX} files wait for the service`);
});

it('a file that was never renamed is kept when it cannot be stored, and refused later', async () => {
  await close(await upload('i.xml.tmp', invoice()), invoice());
  const spool = join(world.data, 'spool', 'acme-ab');
  rmSync(spool, { recursive: true });
  await world.inTime('the failure', () => world.logged('upload.unnamed') > 0, 3_600_000);
  await until('the file to be seen again', async () => (await names()).includes('i.xml.tmp'));
  mkdirSync(spool);
  await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.endsWith('.refused.json')), 3_600_000);
});

it('what a rename takes out of sight is not forgotten: it is refused with a receipt after a day', async () => {
  for (const name of ['a.tmp', 'b.tmp']) await close(await upload(name, invoice()), invoice());
  await intake.rename({ ...INBOX, name: 'a.tmp' }, { ...INBOX, name: 'b.tmp' }, RENAMER);
  await world.inTime(
    'both receipts',
    () => world.files('acme-ab', 'receipts').filter((name) => name.endsWith('.refused.json')).length === 2,
    3_600_000,
  );
});

describe('a restart', () => {
  it('shows a broken upload, although a file of its name is pending', async () => {
    const bytes = Buffer.from(invoice());
    await close(await upload('i.xml', bytes), bytes);
    await intake.abandon(await upload('i.xml', bytes.subarray(0, 700)));
    await world.restart();
    intake = world.gateway().intake;
    const opened = await intake.open({ ...INBOX, name: 'i.xml', login: 'erp', session: SESSION, resume: true });
    expect(opened.size).toBe(700);
  });

  it('goes on with what is pending, and shows it', async () => {
    const bytes = invoice();
    await close(await upload('i.xml', bytes), bytes);
    await world.restart();
    intake = world.gateway().intake;
    expect(await names()).toEqual(['i.xml']);
    service.script = refusing;
    await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.endsWith('.refused.json')));
  });

  it('adopts a file without a row, looks it up first, and sends it', async () => {
    const bytes = invoice();
    await close(await upload('i.xml', bytes), bytes);
    const [name = ''] = world.spooled('acme-ab');
    const kept = readFileSync(join(world.data, 'spool', 'acme-ab', name));
    await world.stop();
    removeLedger(world.data);
    expect(existsSync(join(world.data, 'spool', 'acme-ab', name))).toBe(true);
    await world.addAccount('acme-ab', 'key');
    service.seen.length = 0;
    service.script = ({ method }) =>
      method === 'POST'
        ? { status: 200, body: { status: 'success', data: { integrationId: '6f1f2c1e-0000-4000-8000-000000000001' } } }
        : { status: 204 };
    await world.restart();
    await world.receipt('acme-ab', 'i.xml', 'accepted');
    expect(service.creates().map(({ body }) => body.equals(kept))).toEqual([true]);
    const looked = service.seen.findIndex(({ query }) => query.get('documentId') === '1001');
    expect(looked).toBeGreaterThanOrEqual(0);
    expect(looked).toBeLessThan(service.seen.findIndex(({ method }) => method === 'POST'));
  });
});
