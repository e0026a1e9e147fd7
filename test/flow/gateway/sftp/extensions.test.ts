// OpenSSH's extensions: what each that is announced answers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const [NAME_REPLY, EXTENDED_REPLY] = [104, 201];
const NEW = OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate;

let server: TestServer;
let sftp: RawSftp;
beforeAll(async () => {
  server = await startTestServer({ settings: { handlesMax: 17 } });
  sftp = await RawSftp.open(await connect(server));
});
afterAll(() => server[Symbol.asyncDispose]());

/** So many 64-bit numbers. */
async function numbers(count: number, name: string, ...fields: readonly Buffer[]): Promise<number[]> {
  const { type, fields: told } = await sftp.ask(TYPE.extended, string(name), ...fields);
  expect(type).toBe(EXTENDED_REPLY);
  return Array.from({ length: count }, () => told.uint64());
}

it('limits tells the largest packet, READ and WRITE, and how many handles there may be', async () => {
  expect(await numbers(4, 'limits@openssh.com')).toEqual([256 * 1024, 255 * 1024, 255 * 1024, 17]);
});

it('a READ and a WRITE of the size that limits tells are answered whole', async () => {
  const [, readMax = 0, writeMax = 0] = await numbers(4, 'limits@openssh.com');
  server.place('outbox', 'a.xml', Buffer.alloc(readMax, 'x'));
  const source = await sftp.openFile('/outbox/a.xml', OPEN_FLAG.read);
  const { fields } = await sftp.ask(TYPE.read, string(source), uint32(0), uint32(0), uint32(readMax));
  expect(fields.bytes().length).toBe(readMax);
  await sftp.close(source);
  const target = await sftp.openFile('/inbox/whole.xml', NEW);
  expect(await sftp.write(target, 0, Buffer.alloc(writeMax, 'y'))).toMatchObject({ code: 0 });
  expect(await sftp.close(target)).toMatchObject({ code: 0 });
  expect(server.committed().find(({ name }) => name === 'whole.xml')?.content.length).toBe(writeMax);
});

it('statvfs tells the space of the disk, and how long names may be', async () => {
  const [blockBytes = 0, fragmentBytes, blocks = 0, free = 0, available = 0] = await numbers(11, 'statvfs@openssh.com', string('/'));
  expect([blockBytes > 0, fragmentBytes === blockBytes, blocks >= free, free >= available]).toEqual([true, true, true, true]);
  expect((await numbers(11, 'statvfs@openssh.com', string('/inbox'))).at(-1)).toBe(255);
});

it('fsync of an upload is done, and of a download refused with a sentence', async () => {
  const sync = (handle: Buffer) => sftp.status(TYPE.extended, string('fsync@openssh.com'), string(handle));
  const upload = await sftp.openFile('/inbox/a.xml', NEW);
  await sftp.write(upload, 0, 'abc');
  expect(await sync(upload)).toEqual({ code: 0, sentence: '' });
  await sftp.close(upload);
  server.place('outbox', 'b.xml', 'x');
  const download = await sftp.openFile('/outbox/b.xml', OPEN_FLAG.read);
  expect(await sync(download)).toEqual({ code: 3, sentence: 'this file was not opened for writing' });
});

it.each([
  ['~/inbox/../outbox', '/outbox'],
  ['~', '/'],
  ['~erp/inbox', '/~erp/inbox'],
  ['inbox', '/inbox'],
])('expand-path of %s is %s', async (path, expanded) => {
  const { type, fields } = await sftp.ask(TYPE.extended, string('expand-path@openssh.com'), string(path));
  expect([type, fields.uint32(), fields.text()]).toEqual([NAME_REPLY, 1, expanded]);
});
