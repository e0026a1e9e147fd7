// Fetched means downloaded to the end, removed or renamed by a login: told once it has happened, and never for a part of a file.
import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';

const READ = 0x01;
const WRITE = 0x02 | 0x08 | 0x10;
const BYTES = Buffer.alloc(90_000, 'document ');
const PIECE = 30_000;
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

const stack: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of stack.splice(0).reverse()) await end();
});

async function start(): Promise<TestServer> {
  const server = await startTestServer({ settings: { fileMax: 100_000 } });
  stack.push(() => server[Symbol.asyncDispose]());
  server.place('outbox', 'a.xml', BYTES);
  return server;
}

async function session(server: TestServer): Promise<RawSftp> {
  const client = await connect(server);
  stack.push(() => client.end());
  return RawSftp.open(client);
}

/** Reads these pieces, one after the other or all at once, without CLOSE. */
async function read(sftp: RawSftp, pieces: readonly number[], isTogether = false): Promise<Buffer> {
  const handle = await sftp.openFile('/outbox/a.xml', READ);
  const ask = (piece: number) => sftp.ask(TYPE.read, string(handle), uint64(piece * PIECE), uint32(PIECE));
  if (isTogether) await Promise.all(pieces.map(ask));
  else for (const piece of pieces) await ask(piece);
  return handle;
}

const told = ({ fetches }: TestServer) => fetches.map(({ action, folder, name, bytes }) => [action, folder, name, bytes]);

it('a download to the end is told with login, address, bytes and the digest of what was sent', async () => {
  const server = await start();
  const sftp = await session(server);
  await sftp.close(await read(sftp, [0, 1, 2]));
  expect(server.fetches).toMatchObject([
    { action: 'downloaded', name: 'a.xml', login: 'erp', key: null, address: '127.0.0.1', bytes: BYTES.length, sha256: SHA256 },
  ]);
});

it('pieces may come in any order, all at once, and some twice; then no digest is told', async () => {
  const server = await start();
  const sftp = await session(server);
  await sftp.close(await read(sftp, [2, 1, 1, 0], true));
  expect(told(server)).toEqual([['downloaded', 'outbox', 'a.xml', BYTES.length]]);
  expect(server.fetches[0]?.sha256).toBeNull();
});

it.each([
  ['ends early', [0, 1]],
  ['leaves a hole', [0, 2]],
  ['begins in the middle', [1, 2]],
  ['reads nothing', []],
])('a download that %s is none', async (_, pieces) => {
  const server = await start();
  const sftp = await session(server);
  await sftp.close(await read(sftp, pieces));
  expect(told(server)).toEqual([]);
});

it('a download that was cut off is complete when a later session has read the rest', async () => {
  const server = await start();
  const first = await session(server);
  await read(first, [0, 1]);
  first.channel.destroy();
  const second = await session(server);
  await until('the first session to have ended', async () => {
    await second.close(await read(second, [2]));
    return server.fetches.length > 0;
  });
  expect(told(server)[0]).toEqual(['downloaded', 'outbox', 'a.xml', BYTES.length]);
});

it('what was sent before the connection was lost counts only as far as the client goes on from there', async () => {
  const server = await start();
  const first = await session(server);
  await read(first, [0, 1, 2]);
  first.channel.destroy();
  const second = await session(server);
  await second.close(await read(second, []));
  await second.close(await read(second, [0]));
  expect(told(server)).toEqual([]);
});

it('a removal and another name are told, too', async () => {
  const server = await start();
  const sftp = await session(server);
  await sftp.status(TYPE.rename, string('/outbox/a.xml'), string('/outbox/b.xml'));
  await sftp.status(TYPE.remove, string('/outbox/b.xml'));
  await sftp.status(TYPE.remove, string('/outbox/b.xml'));
  expect(server.fetches).toMatchObject([
    { action: 'renamed', name: 'a.xml', newName: 'b.xml' },
    { action: 'removed', name: 'b.xml', bytes: BYTES.length },
  ]);
});

const failed = ({ failedUploads }: TestServer) => failedUploads.map(({ fileName, size, reason }) => [fileName, size, reason]);

it('an upload that is too large, is refused or goes into a folder of ours is told with its reason', async () => {
  const server = await start();
  const sftp = await session(server);
  const handle = await sftp.openFile('/inbox/large.xml', WRITE);
  await sftp.ask(TYPE.write, string(handle), uint64(0), string(Buffer.alloc(30_000)));
  await sftp.ask(TYPE.write, string(handle), uint64(90_000), string(Buffer.alloc(30_000)));
  await sftp.close(handle);
  await sftp.openFile('/outbox/wrong.xml', WRITE).catch(() => undefined);
  expect(failed(server)).toEqual([
    ['large.xml', 120_000, expect.stringMatching(/^file is larger than/)],
    ['wrong.xml', 0, 'files can be put into inbox only'],
  ]);
  expect(server.failedUploads[0]).toMatchObject({ home: 'acme-ab', login: 'erp', address: '127.0.0.1' });
});

it('an upload that was cut off is told with the bytes that came, and one that was closed is not', async () => {
  const server = await start();
  const sftp = await session(server);
  const whole = await sftp.openFile('/inbox/whole.xml', WRITE);
  await sftp.ask(TYPE.write, string(whole), uint64(0), string(Buffer.alloc(10)));
  await sftp.close(whole);
  const handle = await sftp.openFile('/inbox/cut.xml', WRITE);
  await sftp.ask(TYPE.write, string(handle), uint64(0), string(Buffer.alloc(1_000)));
  sftp.channel.destroy();
  await until('it to be told', () => server.failedUploads.length > 0);
  expect(failed(server)).toEqual([['cut.xml', 1_000, 'the connection ended before the file was complete']]);
});
