// What a client may not change, and how it is told: files of others, of another account, that are cut off, hidden or taken over.
import { afterEach, describe, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const NEW = OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate;
const SIZE = uint32(0x01);
const OK = { code: 0, sentence: '' };

let server: TestServer;
let clients: Awaited<ReturnType<typeof connect>>[];

async function start(options?: TestOptions): Promise<RawSftp> {
  server = await startTestServer(options);
  clients = [];
  return (await session()).sftp;
}
afterEach(async () => {
  for (const client of clients) client.end();
  await server[Symbol.asyncDispose]();
});

async function session(): Promise<{ sftp: RawSftp; leave: () => void }> {
  const client = await connect(server);
  clients.push(client);
  return { sftp: await RawSftp.open(client), leave: () => client.end() };
}

async function put(sftp: RawSftp, path: string, text: string): Promise<void> {
  const handle = await sftp.openFile(path, NEW);
  await sftp.write(handle, 0, text);
  expect(await sftp.close(handle)).toEqual(OK);
}

const rename = (sftp: RawSftp, from: string, to: string) => sftp.status(TYPE.rename, string(from), string(to));
const texts = (): string[] =>
  server
    .committed()
    .map(({ name, content }) => `${name} ${content}`)
    .sort();

describe('an upload that is not closed', () => {
  it('of another session keeps its name', async () => {
    const mine = await start();
    const { sftp: theirs } = await session();
    const handle = await theirs.openFile('/inbox/a.tmp', NEW);
    await theirs.write(handle, 0, 'theirs');
    expect(await rename(mine, '/inbox/a.tmp', '/inbox/a.xml')).toEqual({
      code: 3,
      sentence: "'a.tmp' is being written by another session; upload under a name of your own",
    });
    expect(await theirs.close(handle)).toEqual(OK);
    expect(await rename(theirs, '/inbox/a.tmp', '/inbox/theirs.xml')).toEqual(OK);
    expect(texts()).toEqual(['theirs.xml theirs']);
  });

  it('cannot be removed under the hands of who writes it', async () => {
    const sftp = await start();
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    await sftp.write(handle, 0, 'abc');
    expect(await sftp.status(TYPE.remove, string('/inbox/a.xml'))).toEqual({
      code: 3,
      sentence: "'a.xml' is being written; close it first",
    });
    expect(await sftp.close(handle)).toEqual(OK);
    expect(texts()).toEqual(['a.xml abc']);
  });

  it('and was cut off is no document under whatever name: half an invoice is never sent', async () => {
    const sftp = await start();
    const { sftp: broken, leave } = await session();
    await broken.write(await broken.openFile('/inbox/a.tmp', NEW), 0, 'half');
    leave();
    await eventually(async () => expect(await sftp.sizeOf('/inbox/a.tmp')).toBe(4));
    expect(await rename(sftp, '/inbox/a.tmp', '/inbox/a.xml')).toEqual({
      code: 3,
      sentence: "the upload of 'a.tmp' was cut off before it was closed; resume it, or upload it again",
    });
    expect(await rename(sftp, '/inbox/a.tmp', '/inbox/b.tmp')).toEqual(OK);
    expect(await rename(sftp, '/inbox/b.tmp', '/inbox/b.xml')).toMatchObject({ code: 3 });
    expect(texts()).toEqual([]);
  });
});

it('nothing is moved from one account to another, by whatever rename', async () => {
  const sftp = await start({
    logins: [
      {
        homes: [
          { home: 'acme-ab', folder: 'acme' },
          { home: 'beta-ab', folder: 'beta' },
        ],
      },
    ],
  });
  await put(sftp, '/acme/inbox/a.tmp', 'of acme');
  server.place('refused', 'r.xml', 'of acme');
  server.place('outbox', 'o.xml', 'of acme');
  const between = 'files cannot be moved between accounts; download the file and put it into the inbox of the other';
  for (const [from, to, sentence] of [
    ['/acme/inbox/a.tmp', '/beta/inbox/a.xml', between],
    ['/acme/refused/r.xml', '/beta/inbox/r.xml', between],
    ['/acme/outbox/o.xml', '/beta/outbox/o.xml', 'files cannot be moved between these folders; download the file and put it into inbox'],
  ] as const) {
    expect(await rename(sftp, from, to)).toEqual({ code: 3, sentence });
    const posix = await sftp.status(TYPE.extended, string('posix-rename@openssh.com'), string(from), string(to));
    expect(posix).toEqual({ code: 3, sentence });
  }
  expect(await rename(sftp, '/acme/inbox/a.tmp', '/acme/inbox/a.xml')).toEqual(OK);
  expect(texts()).toEqual(['a.xml of acme']);
});

it('posix-rename over a name that was dropped takes both files; RENAME, too', async () => {
  const sftp = await start();
  for (const [n, request] of [
    [1, [TYPE.extended, string('posix-rename@openssh.com')]],
    [2, [TYPE.rename]],
  ] as const) {
    const [type, ...head] = request;
    await put(sftp, `/inbox/${n}.xml`, 'first');
    await put(sftp, `/inbox/${n}.xml.part`, 'second');
    expect(await sftp.status(type, ...head, string(`/inbox/${n}.xml.part`), string(`/inbox/${n}.xml`))).toEqual(OK);
    expect(await sftp.sizeOf(`/inbox/${n}.xml`)).toBe(6);
  }
  expect(texts()).toEqual(['1.xml first', '1.xml second', '2.xml first', '2.xml second']);
});

it('posix-rename over an upload that waits for its name replaces it: nothing is left to be refused tomorrow', async () => {
  const sftp = await start();
  await put(sftp, '/inbox/old.part', 'old');
  await put(sftp, '/inbox/new.tmp', 'new');
  expect(await sftp.status(TYPE.extended, string('posix-rename@openssh.com'), string('/inbox/new.tmp'), string('/inbox/old.part'))).toEqual(
    OK,
  );
  expect(server.receiving()).toHaveLength(1);
  expect(await rename(sftp, '/inbox/old.part', '/inbox/a.xml')).toEqual(OK);
  expect([texts(), server.receiving()]).toEqual([['a.xml new'], []]);
});

it('a size is set while a file is uploaded only, and within the limit', async () => {
  const sftp = await start({ settings: { fileMax: 1_000 } });
  await put(sftp, '/inbox/a.xml', 'abc');
  const late = { code: 3, sentence: 'the size of a file can be changed while it is uploaded only; upload it anew' };
  expect(await sftp.status(TYPE.setstat, string('/inbox/a.xml'), SIZE, uint64(0))).toEqual(late);
  expect(await sftp.status(TYPE.setstat, string('/inbox/a.xml'), SIZE, uint64(3))).toEqual(OK);
  server.place('outbox', 'o.xml', 'abc');
  const source = await sftp.openFile('/outbox/o.xml', OPEN_FLAG.read);
  expect(await sftp.status(TYPE.fsetstat, string(source), SIZE, uint64(0))).toMatchObject({ code: 3 });
  const handle = await sftp.openFile('/inbox/b.xml', NEW);
  const tooLarge = { code: 4, sentence: 'file is larger than 1000 bytes, the limit of this server' };
  expect(await sftp.status(TYPE.fsetstat, string(handle), SIZE, uint64(1_001))).toEqual(tooLarge);
  expect(await sftp.close(handle)).toEqual(tooLarge);
  expect(texts()).toEqual(['a.xml abc']);
});

it('names that begin with a dot are no files of the client’s, outside of the inbox', async () => {
  const sftp = await start();
  server.place('outbox', '.staged.xml', 'not yet published');
  const nothing = { code: 2, sentence: 'there is no such file' };
  expect(await sftp.status(TYPE.open, string('/outbox/.staged.xml'), uint32(OPEN_FLAG.read), uint32(0))).toEqual(nothing);
  expect(await sftp.sizeOf('/outbox/.staged.xml')).toBe('status 2');
  expect(await sftp.status(TYPE.remove, string('/outbox/.staged.xml'))).toEqual(nothing);
  expect(await rename(sftp, '/outbox/.staged.xml', '/outbox/a.xml')).toEqual(nothing);
});

it('what was dropped can be read back while its bytes are here, and what is being written, too', async () => {
  const sftp = await start();
  const read = async (handle: Buffer): Promise<string> =>
    (await sftp.ask(TYPE.read, string(handle), uint64(0), uint32(100))).fields.bytes().toString();
  const writing = await sftp.openFile('/inbox/a.part', NEW | OPEN_FLAG.read);
  await sftp.write(writing, 0, 'abc');
  expect(await read(writing)).toBe('abc');
  await sftp.close(writing);
  expect(await read(await sftp.openFile('/inbox/a.part', OPEN_FLAG.read))).toBe('abc');
});

it('what was taken over cannot be read back when its bytes are nowhere, and its receipt is named', async () => {
  const sftp = await start({ wrap: () => ({ where: async () => [] }) });
  await put(sftp, '/inbox/a.xml', 'abc');
  expect(await sftp.status(TYPE.open, string('/inbox/a.xml'), uint32(OPEN_FLAG.read), uint32(0))).toEqual({
    code: 3,
    sentence: 'this file has been taken over; its receipt tells what became of it',
  });
});
