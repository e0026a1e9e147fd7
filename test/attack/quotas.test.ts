// A login that wants more room than its quota gives it: by every way in which bytes reach a home, many at once, and cut off in the middle.
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { arrivingFolder, spoolFolder } from '#gateway/disk/paths.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { HOME_FOLDERS } from '#gateway/model/rule-words.ts';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { HomeQuotas } from '#gateway/spool/quotas.ts';
import { manualClock } from '../support/clock.ts';
import { connect } from '../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../support/sftp-raw.ts';
import { ACCOUNT, startTestServer, type TestServer } from '../support/sftp-server.ts';
import { eventually } from '../support/until.ts';
import { amount } from './amounts.ts';

const [WRITE, CREATE, TRUNCATE] = [0x02, 0x08, 0x10];
const NEW = WRITE | CREATE | TRUNCATE;
const FILES = 20;
const BYTES = 1_000_000;
const TRIES = amount(60, 1_000);
const PIECE = Buffer.alloc(30_000, 'x');

/** A walk is believed for two seconds, and nobody can count on them. */
const clock = manualClock();
let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

async function start(rules: LoginRules): Promise<void> {
  server = await startTestServer({
    logins: [{ rules }],
    settings: { handlesMax: 2 * TRIES, unauthenticatedPerAddressMax: 100 },
    wrap: (intake) =>
      new HomeQuotas({
        intake,
        logins: { find: (login) => ({ login, passwordHash: null, publicKeys: [], homes: [], rules }) },
        measure: (home, isOpen) => measureHome(server.data, home, isOpen),
        clock,
      }),
  });
}

async function enter(): Promise<{ sftp: RawSftp; leave: () => void }> {
  const client = await connect(server);
  client.on('error', () => {});
  return { sftp: await RawSftp.open(client), leave: () => client.destroy() };
}

/** Sizes of all that lies in the home, on its way in, or in the spool. */
function lying(): number[] {
  const homes = [...HOME_FOLDERS.map((folder) => server.home(folder)), server.home('inbox/overwrite')];
  const arriving = arrivingFolder(server.data, server.incarnation, ACCOUNT);
  return [...homes, spoolFolder(server.data, ACCOUNT), ...(existsSync(arriving) ? [arriving] : [])].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => lstatSync(join(folder, name)).size),
  );
}
const bytes = (): number => lying().reduce((sum, size) => sum + size, 0);

const open = (sftp: RawSftp, path: string, flags = NEW): Promise<Buffer | undefined> => sftp.openFile(path, flags).catch(() => undefined);
const rename = (sftp: RawSftp, from: string, to: string): Promise<{ code: number; sentence: string }> =>
  sftp.status(TYPE.rename, string(from), string(to));
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it('files sent again out of refused/ are judged like uploads', async () => {
  await start({ homeFilesMax: FILES });
  for (const n of range(FILES)) server.place('refused', `${n}.xml`, 'x');
  const { sftp } = await enter();
  // What comes of each is a receipt, and most likely the original again.
  const answers = await Promise.all(range(FILES).map((n) => rename(sftp, `/refused/${n}.xml`, `/inbox/${n}.xml`)));
  expect(answers.filter(({ code }) => code === 0)).toEqual([]);
  expect(answers[0]?.sentence).toContain(`the home is full: ${FILES} of ${FILES} files;`);
  expect(server.committed()).toEqual([]);
});

it('files that come back as often as they are sent again fill the home, and no more', async () => {
  await start({ homeFilesMax: FILES });
  const { sftp } = await enter();
  let sent = 0;
  for (const n of range(TRIES)) {
    // As the gateway would: the receipt and the original of the one before.
    server.place('refused', `${n}.xml`, 'x');
    if ((await rename(sftp, `/refused/${n}.xml`, `/inbox/${n}.xml`)).code === 0) sent++;
  }
  expect(sent).toBeLessThan(FILES);
});

it('open uploads count with the bytes that they have, and stay counted when they are cut off', async () => {
  await start({ homeBytesMax: BYTES });
  const { sftp, leave } = await enter();
  const handles = (await Promise.all(range(TRIES).map((n) => open(sftp, `/inbox/${n}.xml`)))).flatMap((handle) => handle ?? []);
  expect(handles.length).toBeGreaterThan(0);
  await Promise.all(handles.map((handle) => sftp.write(handle, 0, PIECE)));
  expect(bytes()).toBe(Math.floor(BYTES / PIECE.length) * PIECE.length);
  leave();
  await eventually(() => expect(server.facts).toContainEqual(expect.objectContaining({ event: 'sftp.left' })));
  const again = await enter();
  for (const n of range(9)) {
    const handle = await open(again.sftp, `/inbox/more-${n}.xml`);
    if (handle) await again.sftp.write(handle, 0, PIECE);
  }
  expect(bytes()).toBeLessThanOrEqual(BYTES);
});

it('what was moved to be answered counts as well, also where it waits below a reason', async () => {
  await start({ homeFilesMax: FILES });
  mkdirSync(server.home('answer/accept/why'), { recursive: true });
  for (const n of range(FILES)) server.place('answer/accept/why', `${n}.xml.part`, 'x');
  const { sftp } = await enter();
  const handle = (await open(sftp, '/inbox/a.xml')) ?? Buffer.alloc(0);
  expect((await sftp.close(handle)).code).not.toBe(0);
});

it('open uploads count as files', async () => {
  await start({ homeFilesMax: FILES });
  const { sftp } = await enter();
  const handles = await Promise.all(range(TRIES).map((n) => open(sftp, `/inbox/${n}.tmp`)));
  expect(handles.filter((handle) => handle !== undefined)).toHaveLength(FILES);
  expect(lying()).toHaveLength(FILES);
});

it('a size that is set instead of written is judged', async () => {
  await start({ homeBytesMax: BYTES });
  const { sftp } = await enter();
  const handle = (await open(sftp, '/inbox/a.xml')) ?? Buffer.alloc(0);
  const set = await sftp.status(TYPE.fsetstat, string(handle), uint32(1), uint64(2 * BYTES));
  expect(set.sentence).toContain('the home is full: 0 of 1000000 bytes, and this file has 2000000;');
  expect(bytes()).toBe(0);
});

it('resumed uploads are judged with what they have already, once', async () => {
  await start({ homeBytesMax: BYTES, homeFilesMax: 1 });
  const first = await enter();
  const handle = (await open(first.sftp, '/inbox/a.xml')) ?? Buffer.alloc(0);
  for (const n of range(20)) await first.sftp.write(handle, n * PIECE.length, PIECE);
  first.leave();
  await eventually(() => expect(server.facts).toContainEqual(expect.objectContaining({ event: 'upload.broken' })));
  const { sftp } = await enter();
  const resumed = (await open(sftp, '/inbox/a.xml', WRITE)) ?? Buffer.alloc(0);
  expect((await sftp.write(resumed, 20 * PIECE.length, PIECE)).code).toBe(0);
  const codes: number[] = [];
  for (const n of range(20)) codes.push((await sftp.write(resumed, (21 + n) * PIECE.length, PIECE)).code);
  expect(codes.filter((code) => code === 0)).toHaveLength(Math.floor(BYTES / PIECE.length) - 21);
  expect(bytes()).toBeLessThanOrEqual(BYTES);
});

it('a rename to the real name is judged, and can be tried again when there is room', async () => {
  await start({ homeFilesMax: 2 });
  const { sftp } = await enter();
  for (const name of ['a.tmp', 'b.tmp']) {
    const handle = (await open(sftp, `/inbox/${name}`)) ?? Buffer.alloc(0);
    await sftp.write(handle, 0, 'x');
    expect((await sftp.close(handle)).code).toBe(0);
  }
  // A local program is never refused, and what it brings counts.
  server.place('outbox', 'theirs.xml', 'x');
  clock.advance(60_000);
  expect((await rename(sftp, '/inbox/a.tmp', '/inbox/a.xml')).sentence).toContain('the home is full: 2 of 2 files;');
  await sftp.status(TYPE.remove, string('/inbox/b.tmp'));
  expect(await rename(sftp, '/inbox/a.tmp', '/inbox/a.xml')).toMatchObject({ code: 0 });
  expect(server.committed().map(({ name }) => name)).toEqual(['a.xml']);
});
