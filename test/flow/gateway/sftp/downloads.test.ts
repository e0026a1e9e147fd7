// Where an account wants it, a complete download takes a document out of the outbox: every byte, in any order, and then CLOSE.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { connect, have, openSsh } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';

const READ = 0x01;
const BYTES = Buffer.alloc(100_000, 'document ');

const stack: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of stack.splice(0).reverse()) await end();
});

async function start(options: TestOptions = { downloadTakes: true }): Promise<{ server: TestServer; sftp: RawSftp }> {
  const server = await startTestServer(options);
  stack.push(() => server[Symbol.asyncDispose]());
  server.place('outbox', 'a.xml', BYTES);
  const client = await connect(server);
  stack.push(() => client.end());
  return { server, sftp: await RawSftp.open(client) };
}

const outbox = (server: TestServer): string[] => readdirSync(server.home('outbox'));

/** Reads these pieces, then closes. */
async function download(
  sftp: RawSftp,
  pieces: readonly (readonly [from: number, length: number])[],
  path = '/outbox/a.xml',
): Promise<void> {
  const handle = await sftp.openFile(path, READ);
  await Promise.all(pieces.map(([from, length]) => sftp.ask(TYPE.read, string(handle), uint64(from), uint32(length))));
  expect(await sftp.close(handle)).toEqual({ code: 0, sentence: '' });
}

it.each([
  [
    'in order',
    [
      [0, 30_000],
      [30_000, 30_000],
      [60_000, 30_000],
      [90_000, 30_000],
    ],
  ],
  [
    'in any order, some of it twice',
    [
      [70_000, 30_000],
      [0, 30_000],
      [20_000, 30_000],
      [45_000, 30_000],
    ],
  ],
] as const)('a download of every byte, %s, takes the document', async (_, pieces) => {
  const { server, sftp } = await start();
  await download(sftp, pieces);
  expect(outbox(server)).toEqual([]);
});

it.each([
  [
    'ends early',
    [
      [0, 30_000],
      [30_000, 30_000],
    ],
  ],
  [
    'leaves a hole',
    [
      [0, 30_000],
      [60_000, 30_000],
      [90_000, 30_000],
    ],
  ],
  [
    'begins in the middle',
    [
      [50_000, 30_000],
      [80_000, 30_000],
    ],
  ],
  ['reads nothing', []],
] as const)('a download that %s takes nothing', async (_, pieces) => {
  const { server, sftp } = await start();
  await download(sftp, pieces);
  expect(outbox(server)).toEqual(['a.xml']);
});

const WHOLE = [
  [0, 30_000],
  [30_000, 30_000],
  [60_000, 30_000],
  [90_000, 30_000],
] as const;

it('a session that ends before CLOSE takes nothing', async () => {
  const { server, sftp } = await start();
  const handle = await sftp.openFile('/outbox/a.xml', READ);
  await Promise.all(WHOLE.map(([from, length]) => sftp.ask(TYPE.read, string(handle), uint64(from), uint32(length))));
  sftp.channel.destroy();
  await server[Symbol.asyncDispose]();
  stack.length = 0;
  expect(server.facts.some(({ event }) => event === 'outbox.taken')).toBe(false);
});

it('nothing is taken where the account does not want it, from other folders, or by a login that may only read', async () => {
  const kept = await start({ downloadTakes: false });
  await download(kept.sftp, WHOLE);
  expect(outbox(kept.server)).toEqual(['a.xml']);
  const { server, sftp } = await start({ downloadTakes: true, logins: [{ rules: { readOnly: true } }] });
  server.place('receipts', 'r.json', '{}');
  await download(sftp, WHOLE);
  await download(sftp, [[0, 2]], '/receipts/r.json');
  expect([outbox(server), readdirSync(server.home('receipts'))]).toEqual([['a.xml'], ['r.json']]);
});

it.skipIf(!have('sftp'))('OpenSSH gets all there is, whole, and the outbox is empty', async () => {
  const { server } = await start();
  for (let index = 0; index < 20; index++) server.place('outbox', `b${index}.xml`, BYTES);
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-get-'));
  stack.push(() => rmSync(folder, { recursive: true }));
  const { status } = await openSsh(server, [`get outbox/* ${folder}/`]);
  expect(status).toBe(0);
  expect(readdirSync(folder)).toHaveLength(21);
  for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name)).equals(BYTES)).toBe(true);
  expect(outbox(server)).toEqual([]);
});
