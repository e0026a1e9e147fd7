// What goes wrong around the gateway (a ledger that refuses, folders that change under it, clients in each other's way): nobody is told
// OK for what is not kept, nothing is overwritten, and everything goes on when the trouble is over.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import type { DropFolder, Intake } from '#gateway/model/intake.ts';
import { invoice } from '../../support/documents.ts';
import { created, type ScriptedService } from '../../support/scripted-service.ts';
import { until } from '../../support/until.ts';
import { refuseWrites } from '../../support/world/ledger-files.ts';
import { scripted } from '../../support/world/services.ts';
import { RENAMER, SESSION, startWorld, type World } from '../../support/world/world.ts';

/** What an account of this service may spend is soon spent. */
const FEW = { 'ratelimit-limit': '30', 'ratelimit-remaining': '29' };
const answer = ({ method }: { method: string }) => (method === 'POST' ? created() : { status: 204 });
const INBOX: DropFolder = { home: 'acme-ab', folder: 'inbox' };
let service: ScriptedService;
let world: World<ScriptedService>;
let intake: Intake;

beforeEach(async () => {
  world = await startWorld(scripted((seen) => ({ ...answer(seen), headers: FEW })));
  ({ service } = world);
  intake = world.gateway().intake;
});

async function upload(name: string, bytes: Uint8Array | string, session = SESSION): Promise<{ upload: string; path: string }> {
  const opened = await intake.open({ ...INBOX, name, login: 'erp', session, resume: false });
  writeFileSync(opened.path, bytes);
  return opened;
}
const close = (id: string, bytes: Uint8Array | string) => intake.commit(id, { size: Buffer.byteLength(bytes), sha256: null });

describe('a ledger that refuses', () => {
  it('neither the end of an item nor its postponement takes the process down, and the item ends as soon as it can', async () => {
    const trouble = refuseWrites(world.data, 'update on items', 'new.lease_until = 0');
    await world.drop('acme-ab', 'invoice.xml', invoice());
    await until('the refused end', () => world.logged('submit.unfinished') > 0);
    await until('the refused postponement', () => world.logged('submit.not-postponed') > 0);
    trouble[Symbol.dispose]();
    const beganMs = world.clock.now();
    await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.endsWith('.accepted.json')), 2_000);
    // Long before its lease ends.
    expect(world.clock.now() - beganMs).toBeLessThan(30_000);
  });

  it('for long does not use up the request budget', async () => {
    const trouble = refuseWrites(world.data, 'update on items');
    await world.drop('acme-ab', 'invoice.xml', invoice());
    for (let turn = 1; turn <= 40; turn++) {
      await world.inTime(`refusal ${turn}`, () => world.logged('submit.failed') >= turn, 2_000);
    }
    trouble[Symbol.dispose]();
    await world.inTime('the document at the service', () => service.creates().length === 1, 10_000);
  });

  it('gives a file from a folder back, and not over another one that has its name by then', async () => {
    const path = join(homeFolder(world.data, 'acme-ab'), 'inbox', '.held.xml');
    writeFileSync(path, 'first');
    using _trouble = refuseWrites(world.data, 'insert on items');
    const push = world.log.push.bind(world.log);
    world.log.push = (line) => {
      if (line.includes('"spool.failed"')) writeFileSync(path, 'second');
      return push(line);
    };
    await expect(intake.take(INBOX, '.held.xml', path)).rejects.toMatchObject({ code: 'storage' });
    expect(readFileSync(path, 'utf8')).toBe('second');
    const kept = world.files('acme-ab', 'inbox').map((name) => join(dirname(path), name));
    expect(kept.filter((each) => each !== path && each.endsWith('.xml')).map((each) => readFileSync(each, 'utf8'))).toEqual(['first']);
  });
});

it('a watched folder that turns into something else disturbs neither the process nor the other folders', async () => {
  const inbox = join(homeFolder(world.data, 'acme-ab'), 'inbox');
  writeFileSync(join(inbox, 'a.xml'), 'no document');
  // A rescan sees it; it is looked at again when it should have settled.
  world.clock.advance(10_000);
  rmSync(inbox, { recursive: true });
  symlinkSync('inbox', inbox);
  world.clock.advance(20_000);
  expect(existsSync(inbox)).toBe(false);
  await until('the complaint', () => world.logged('watch.failed') > 0);
  rmSync(inbox);
  mkdirSync(join(inbox, 'overwrite'), { recursive: true });
  writeFileSync(join(inbox, 'b.xml'), invoice());
  await world.inTime('the receipt', () => world.files('acme-ab', 'receipts').some((name) => name.startsWith('b.xml.')));
});

describe('nobody is told OK', () => {
  it('for a rename of an upload whose connection was lost before CLOSE', async () => {
    const { upload: id } = await upload('i.xml.part', invoice());
    await intake.abandon(id);
    const renamed = intake.rename({ ...INBOX, name: 'i.xml.part' }, { ...INBOX, name: 'i.xml' }, RENAMER);
    await expect(renamed).rejects.toMatchObject({ code: 'forbidden' });
    expect(await intake.find(INBOX, 'i.xml.part', SESSION)).not.toBeNull();
    expect(await intake.find(INBOX, 'i.xml', SESSION)).toBeNull();
  });

  it('for a rename after a CLOSE that failed to make the bytes durable', async () => {
    const { upload: id, path } = await upload('i.xml.part', invoice());
    rmSync(path);
    symlinkSync('nowhere', path);
    await expect(close(id, invoice())).rejects.toMatchObject({ code: 'storage' });
    const renamed = intake.rename({ ...INBOX, name: 'i.xml.part' }, { ...INBOX, name: 'i.xml' }, RENAMER);
    await expect(renamed).rejects.toMatchObject({ code: 'missing' });
  });
});

it('a temporary name that two sessions use is a file of its own for each: both are sent', async () => {
  const [one, two] = [invoice({ id: '1' }), invoice({ id: '2' })];
  await close((await upload('upload.tmp', one)).upload, one);
  const second = await upload('upload.tmp', two, 'session-2');
  await intake.rename({ ...INBOX, name: 'upload.tmp' }, { ...INBOX, name: 'one.xml' }, RENAMER);
  await close(second.upload, two);
  await intake.rename({ ...INBOX, name: 'upload.tmp' }, { ...INBOX, name: 'two.xml' }, { ...RENAMER, session: 'session-2' });
  for (const document of [one, two]) {
    await until('a document', () => service.creates().some(({ body }) => body.equals(Buffer.from(document))));
  }
});

it('a resumed upload that a crash interrupts is a broken one, although it was closed before', async () => {
  const bytes = Buffer.from(invoice());
  await close((await upload('i.xml.part', bytes)).upload, bytes);
  await intake.open({ ...INBOX, name: 'i.xml.part', login: 'erp', session: SESSION, resume: true });
  // The process is gone before anybody is told that the connection is.
  await world.restart();
  intake = world.gateway().intake;
  const renamed = intake.rename({ ...INBOX, name: 'i.xml.part' }, { ...INBOX, name: 'i.xml' }, RENAMER);
  await expect(renamed).rejects.toMatchObject({ code: 'forbidden' });
});
