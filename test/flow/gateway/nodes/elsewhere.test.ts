// ERPs come to any node: what one has of an inbox is seen at the others, and what was cut off or closed there is gone on with here.
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { type DropFolder, type Intake, toByteName } from '#gateway/model/intake.ts';
import { calm } from '../../../support/calm.ts';
import type { ManualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging, type ScriptedService } from '../../../support/scripted-service.ts';
import { defectiveTakeUp } from '../../../support/stand-in/defective.ts';
import { until } from '../../../support/until.ts';
import { homesOf } from '../../../support/world/homes.ts';
import { type NamedNode, openNamedNodes } from '../../../support/world/named-nodes.ts';

const HOME = 'seller';
const INBOX: DropFolder = { home: HOME, folder: 'inbox' };
const ITEMS_MAX = 3;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe.runIf(hasPostgres)('Another node', () => {
  let service: ScriptedService;
  let one: Intake;
  let two: Intake;
  /** Passes at node one alone, which has the home. */
  let clock: ManualClock;
  let second: NamedNode;
  let receipts: () => string[];

  async function startBoth(start?: typeof startGateway): Promise<void> {
    // Nothing is ever answered, so that items stay pending.
    const nodes = await openNamedNodes([HOME], ({ method }) => (method === 'POST' ? { status: 503 } : { status: 204 }));
    ({ service } = nodes);
    const first = await nodes.start('one', { itemsMax: ITEMS_MAX }, start && { start });
    second = await nodes.start('two', { itemsMax: ITEMS_MAX }, start && { start });
    ({ clock } = first);
    receipts = () => homesOf(nodes.data).files(HOME, 'receipts');
    [one, two] = [first.gateway.intake, second.gateway.intake];
  }
  beforeEach(() => startBoth());

  const bytes = Buffer.from(invoice());
  const half = bytes.length >> 1;
  const sessionOf = (at: Intake): string => (at === one ? 'session-1' : 'session-2');
  const open = (at: Intake, name: string, resume = false, login = 'erp') =>
    at.open({ ...INBOX, name, login, session: sessionOf(at), resume });
  const close = (at: Intake, upload: string) => at.commit(upload, { size: bytes.length, sha256: null });
  const seen = async (at: Intake) =>
    (await at.view(INBOX, sessionOf(at)))
      .map(({ name, state, size }) => ({ name, state, size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));

  const states = async (at: Intake) => (await seen(at)).map(({ state }) => state);

  async function upload(at: Intake, name: string) {
    const opened = await open(at, name);
    writeFileSync(opened.path, bytes);
    return close(at, opened.upload);
  }
  /** Resolves with where its bytes were. */
  async function cutOff(at: Intake, name: string): Promise<string> {
    const opened = await open(at, name);
    writeFileSync(opened.path, bytes.subarray(0, half));
    await at.abandon(opened.upload);
    at.leave(sessionOf(at));
    return opened.path;
  }

  it('shows what this one has taken, holds unfinished, and is writing', async () => {
    await upload(one, 'taken.xml');
    await upload(one, 'waiting.xml.tmp');
    await cutOff(one, 'broken.xml');
    writeFileSync((await open(one, 'open.xml')).path, bytes.subarray(0, half));
    const size = bytes.length;
    const expected = [
      { name: 'broken.xml', state: 'broken', size: half },
      { name: 'open.xml', state: 'open', size: 0 },
      { name: 'taken.xml', state: 'taken', size },
      { name: 'waiting.xml.tmp', state: 'waiting', size },
    ];
    expect(await seen(two)).toEqual(expected);
    expect(await seen(one)).toEqual(expected);
    for (const { name, state } of expected) expect((await two.find(INBOX, name, 'session-2'))?.state).toBe(state);
    const places = await two.where(INBOX, 'taken.xml', 'session-2');
    expect(places.map(({ root, components, name }) => existsSync(join(root, ...components, name)))).toContain(true);
  });

  /** Another one goes on with an upload that was cut off here, while this one may still write: the bytes that it then has. */
  async function goneOnWith(): Promise<Buffer> {
    const opened = await open(one, 'a.xml');
    // The process is stopped with the file open, and its session ends for others.
    const still = openSync(opened.path, 'a');
    onTestFinished(() => closeSync(still));
    writeSync(still, bytes.subarray(0, half));
    await one.abandon(opened.upload);
    const resumed = await open(two, 'a.xml', true);
    expect(resumed.size).toBe(half);
    writeSync(still, 'late');
    writeFileSync(resumed.path, bytes.subarray(half), { flag: 'a' });
    const size = statSync(resumed.path).size;
    expect(await two.commit(resumed.upload, { size, sha256: null })).toMatchObject({ state: 'taken' });
    const [spooled] = await two.where(INBOX, 'a.xml', 'session-2');
    return readFileSync(join(spooled?.root ?? '', spooled?.name ?? ''));
  }

  it('goes on with an upload that was cut off here, in a copy, into which nothing is written from here any more', async () => {
    expect(await goneOnWith()).toEqual(bytes);
    expect((await seen(one)).filter(({ state }) => state === 'broken')).toEqual([]);
    expect((await open(one, 'a.xml', true)).size).toBe(0);
  });

  it('a seeded defect is found: it goes on in the same file, and not in a copy', async () => {
    const from = "const isWritten = living !== undefined && seen.state !== 'waiting';";
    await startBoth(await defectiveTakeUp({ file: 'spool/unfinished.ts', from, to: 'const isWritten = false;' }));
    expect((await goneOnWith()).toString()).toContain('late');
  });

  it('goes on with it in one session where two ask for it at once: the other one begins anew', async () => {
    await cutOff(one, 'a.xml');
    const uploads = await Promise.all(
      ['session-2', 'session-3'].map((session) => two.open({ ...INBOX, name: 'a.xml', login: 'erp', session, resume: true })),
    );
    const resumed = uploads.find(({ size }) => size > 0);
    expect(uploads.map(({ size }) => size).sort((a, b) => a - b)).toEqual([0, half]);
    writeFileSync(resumed?.path ?? '', bytes.subarray(half), { flag: 'a' });
    expect(await close(two, resumed?.upload ?? '')).toMatchObject({ state: 'taken' });
  });

  it('begins anew what this one still writes, and what another login has left', async () => {
    writeFileSync((await open(one, 'open.xml')).path, bytes.subarray(0, half));
    expect((await open(two, 'open.xml', true)).size).toBe(0);
    await cutOff(one, 'broken.xml');
    expect((await open(two, 'broken.xml', true, 'other')).size).toBe(0);
  });

  it('takes what was closed here under a temporary name, when it is renamed there', async () => {
    await upload(one, 'a.xml.tmp');
    await two.rename({ ...INBOX, name: 'a.xml.tmp' }, { ...INBOX, name: 'a.xml' }, { login: 'erp', session: 'session-2' });
    await until('it to be sent', () => {
      clock.advance(1_000);
      return service.creates().length === 1;
    });
    expect((await seen(one)).map(({ name }) => name)).toEqual(['a.xml']);
    // Nothing is refused for its name that has gone.
    clock.advance(2 * DAY_MS);
    await until('it to be looked for', async () => (await seen(one)).length === 1);
    expect((await seen(one)).map(({ name }) => name)).toEqual(['a.xml']);
  });

  it.each([
    {
      what: 'of 70 characters, with spaces and å',
      real: toByteName('Faktura 2026-11-20 för kund 12345 Företaget på Åsen AB, Umeå 4711.xml'),
    },
    { what: 'of as many bytes as a file system takes', real: toByteName(`${'å'.repeat(123)}.xml`) },
  ])('goes on with, and takes, what has a name $what', async ({ real }) => {
    const temporary = `${real}.tmp`;
    await cutOff(one, temporary);
    const resumed = await open(two, temporary, true);
    expect(resumed.size).toBe(half);
    writeFileSync(resumed.path, bytes.subarray(half), { flag: 'a' });
    await close(two, resumed.upload);
    expect((await one.find(INBOX, temporary, 'session-1'))?.state).toBe('waiting');
    await one.rename({ ...INBOX, name: temporary }, { ...INBOX, name: real }, { login: 'erp', session: 'session-1' });
    expect(await seen(two)).toEqual([{ name: real, state: 'taken', size: bytes.length }]);
    await until('it to be sent', () => {
      clock.advance(1_000);
      return service.creates().length === 1;
    });
  });

  it('shows what is closed here under its whole name', async () => {
    const name = toByteName('Faktura 2026-11-20 för kund 12345 Företaget på Åsen AB, Umeå 4711.xml.tmp');
    await upload(one, name);
    expect(await seen(two)).toEqual([{ name, state: 'waiting', size: bytes.length }]);
  });

  it('tells of a file that has waited for its name at a node that does not have the home', async () => {
    await upload(two, 'a.xml.tmp');
    await until('the receipt', async () => {
      for (const each of [clock, second.clock]) each.advance(MINUTE_MS);
      return receipts().length > 0;
    });
    expect(receipts()).toEqual([expect.stringMatching(/^a\.xml\.tmp\..*\.waiting\.json$/)]);
  });

  it('takes over what one that leaves in order has left under temporary names', async () => {
    await upload(two, 'a.xml.tmp');
    await second.stop();
    // By the file's own time.
    clock.advance(Date.now() - clock.now());
    await until('the receipt', () => {
      clock.advance(MINUTE_MS);
      return receipts().length > 0;
    });
  });

  it('drops an upload that was cut off here when its file has come anew there', async () => {
    const opened = await open(one, 'a.xml');
    writeFileSync(opened.path, bytes.subarray(0, half));
    second.clock.advance(1_000);
    await upload(two, 'a.xml');
    await one.abandon(opened.upload);
    one.leave('session-1');
    expect(await states(one)).toEqual(['broken']);
    await until('it to be dropped', async () => {
      clock.advance(10_000);
      return String(await states(one)) === 'taken';
    });
  });

  it('drops one that was begun under a temporary name, when its file has come anew there and has its name', async () => {
    await cutOff(one, 'a.xml.filepart');
    // It has been looked for before that.
    clock.advance(10_000);
    await calm();
    second.clock.advance(20_000);
    await upload(two, 'a.xml.filepart');
    await two.rename({ ...INBOX, name: 'a.xml.filepart' }, { ...INBOX, name: 'a.xml' }, { login: 'erp', session: 'session-2' });
    await until('it to be dropped', async () => {
      clock.advance(10_000);
      return (await one.view(INBOX, 'session-1')).map(({ name }) => name).join() === 'a.xml';
    });
  });

  it('keeps an upload that was cut off here when another login has sent a file of its name', async () => {
    await cutOff(one, 'a.xml');
    second.clock.advance(1_000);
    const opened = await two.open({ ...INBOX, name: 'a.xml', login: 'other', session: 'session-2', resume: false });
    writeFileSync(opened.path, bytes);
    await close(two, opened.upload);
    clock.advance(10_000);
    await calm();
    expect(await states(one)).toEqual(['broken']);
  });

  it('removes from its own sight what this one has taken, and for good what is unfinished here', async () => {
    await upload(one, 'taken.xml');
    await cutOff(one, 'broken.xml');
    for (const name of ['taken.xml', 'broken.xml']) await two.remove(INBOX, name, 'session-2');
    expect(await seen(two)).toEqual([]);
    expect((await seen(one)).map(({ name }) => name)).toEqual(['taken.xml']);
    await expect(two.remove(INBOX, 'none.xml', 'session-2')).rejects.toThrow("there is no 'none.xml' here");
  });

  it('counts what this one has taken: an inbox is full at all of them', async () => {
    for (let at = 0; at < ITEMS_MAX; at++) await upload(one, `${at}.xml`);
    for (const at of [one, two])
      await expect(open(at, 'more.xml')).rejects.toThrow(`inbox is full: ${ITEMS_MAX} of ${ITEMS_MAX} files wait for the service`);
  });

  it('has taken what this one counts, which has the home: an inbox is full until they have ended', async () => {
    for (let at = 0; at < ITEMS_MAX; at++) await upload(two, `${at}.xml`);
    for (const at of [one, two])
      await expect(open(at, 'more.xml')).rejects.toThrow(`inbox is full: ${ITEMS_MAX} of ${ITEMS_MAX} files wait for the service`);
    service.script = obliging;
    await until('room', () => {
      clock.advance(10_000);
      return open(one, 'more.xml').then(
        () => true,
        () => false,
      );
    });
    expect(receipts().length).toBeGreaterThan(0);
  });
});

describe.runIf(hasPostgres)('A node that takes a file for a home that another one has', () => {
  it('shows it for a while, for it does not hear of its end', async () => {
    const nodes = await openNamedNodes([HOME], obliging);
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    const { intake } = two.gateway;
    const { upload, path } = await intake.open({ ...INBOX, name: 'a.xml', login: 'erp', session: 'session-2', resume: false });
    const bytes = Buffer.from(invoice());
    writeFileSync(path, bytes);
    await intake.commit(upload, { size: bytes.length, sha256: null });
    const seen = async (): Promise<string[]> => (await intake.view(INBOX, 'session-2')).map(({ name }) => name);
    expect(await seen()).toEqual(['a.xml']);
    intake.leave('session-2');
    await until('it to be sent, and out of sight', async () => {
      one.clock.advance(1_000);
      two.clock.advance(60_000);
      return (await seen()).length === 0;
    });
    expect(nodes.service.creates()).toHaveLength(1);
  });
});
