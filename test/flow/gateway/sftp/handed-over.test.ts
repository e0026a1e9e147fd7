// A file that was handed over and is still in sight: opening its name anew without cutting anything off neither removes nor mixes it up.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const [WRITE, APPEND, CREATE, TRUNCATE] = [0x02, 0x04, 0x08, 0x10];
const FILE = '/inbox/a.xml';
const SIZE = 5_988;
const OK = { code: 0, sentence: '' };
const HANDED_OVER = { code: 3, sentence: 'this file was already handed over; its receipt tells what became of it' };

let server: TestServer;
let sftp: RawSftp;
beforeEach(async () => {
  server = await startTestServer();
  sftp = await RawSftp.open(await connect(server));
  const handle = await sftp.openFile(FILE, WRITE | CREATE | TRUNCATE);
  await sftp.write(handle, 0, Buffer.alloc(SIZE, 'x'));
  expect(await sftp.close(handle)).toEqual(OK);
});
afterEach(() => server[Symbol.asyncDispose]());

const committed = (): number[] => server.committed().map(({ content }) => content.length);

it('closed without a write it is still there, with the size that it had', async () => {
  // phpseclib's RESUME, where all has come.
  const handle = await sftp.openFile(FILE, WRITE | CREATE);
  const fstat = await sftp.ask(TYPE.fstat, string(handle));
  fstat.fields.uint32();
  expect(fstat.fields.uint64()).toBe(SIZE);
  expect(await sftp.close(handle)).toEqual(OK);
  expect(await sftp.sizeOf(FILE)).toBe(SIZE);
  expect([committed(), server.receiving()]).toEqual([[SIZE], []]);
});

it('an empty write is no write, and a size that it has already is none to set', async () => {
  const handle = await sftp.openFile(FILE, WRITE | CREATE);
  expect(await sftp.write(handle, SIZE, '')).toEqual(OK);
  expect(await sftp.write(handle, 0, '')).toEqual(OK);
  expect(await sftp.status(TYPE.fsetstat, string(handle), uint32(1), uint64(SIZE))).toEqual(OK);
  expect(await sftp.close(handle)).toEqual(OK);
  expect([await sftp.sizeOf(FILE), committed()]).toEqual([SIZE, [SIZE]]);
});

it.each([
  ['at its end', WRITE | CREATE, SIZE],
  ['in the middle', WRITE, 100],
  ['by APPEND', WRITE | APPEND | CREATE, 0],
])('what is written %s is refused, and it stays', async (_where, flags, offset) => {
  const handle = await sftp.openFile(FILE, flags);
  expect(await sftp.write(handle, offset, 'more')).toEqual(HANDED_OVER);
  expect(await sftp.close(handle)).toEqual(HANDED_OVER);
  expect([await sftp.sizeOf(FILE), committed(), server.receiving()]).toEqual([SIZE, [SIZE], []]);
});

it('another size for it is refused', async () => {
  const handle = await sftp.openFile(FILE, WRITE);
  expect(await sftp.status(TYPE.fsetstat, string(handle), uint32(1), uint64(SIZE + 1))).toEqual(HANDED_OVER);
  expect(await sftp.close(handle)).toEqual(HANDED_OVER);
  expect([await sftp.sizeOf(FILE), committed()]).toEqual([SIZE, [SIZE]]);
});

it('written from its start, or cut to nothing before, it is a new upload', async () => {
  const first = await sftp.openFile(FILE, WRITE | CREATE);
  expect(await sftp.write(first, 0, 'anew')).toEqual(OK);
  expect(await sftp.close(first)).toEqual(OK);
  const second = await sftp.openFile(FILE, WRITE | APPEND);
  expect(await sftp.status(TYPE.fsetstat, string(second), uint32(1), uint64(0))).toEqual(OK);
  expect(await sftp.write(second, 0, 'cut')).toEqual(OK);
  expect(await sftp.close(second)).toEqual(OK);
  expect(committed().sort()).toEqual([3, 4, SIZE]);
  expect(await sftp.sizeOf(FILE)).toBe(3);
});

it('an upload that fails uncovers it; one that takes its place does not bring it back when that is removed', async () => {
  const failing = await sftp.openFile(FILE, WRITE | CREATE | TRUNCATE);
  expect(await sftp.sizeOf(FILE)).toBe(0);
  expect((await sftp.write(failing, 21 * 2 ** 20, 'x')).code).toBe(4);
  await sftp.close(failing);
  expect(await sftp.sizeOf(FILE)).toBe(SIZE);
  const handle = await sftp.openFile(FILE, WRITE | CREATE | TRUNCATE);
  await sftp.write(handle, 0, 'anew');
  await sftp.close(handle);
  expect(await sftp.status(TYPE.remove, string(FILE))).toEqual(OK);
  expect(await sftp.sizeOf(FILE)).toBe('status 2');
});

it('removing what was cut off above it removes both from sight', async () => {
  const other = await connect(server);
  const theirs = await RawSftp.open(other);
  await theirs.write(await theirs.openFile(FILE, WRITE | CREATE | TRUNCATE), 0, 'cut');
  expect(await sftp.status(TYPE.remove, string(FILE))).toEqual(OK);
  expect(await sftp.sizeOf(FILE)).toBe('status 2');
  other.end();
});
