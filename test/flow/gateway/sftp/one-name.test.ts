// One name in the hands of two sessions: nobody overwrites, removes or renames what is the other's; and a resume that would leave a hole.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { string } from '#gateway/sftp/protocol/fields.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const [WRITE, CREATE, TRUNCATE] = [0x02, 0x08, 0x10];
const NEW = WRITE | CREATE | TRUNCATE;
const OK = { code: 0, sentence: '' };

let server: TestServer;
let clients: Awaited<ReturnType<typeof connect>>[];

beforeEach(async () => {
  server = await startTestServer();
  clients = [];
});
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

const rename = (sftp: RawSftp, from: string, to: string): Promise<unknown> => sftp.status(TYPE.rename, string(from), string(to));
const texts = (): Record<string, string> => Object.fromEntries(server.committed().map(({ name, content }) => [name, content.toString()]));
const left = (): number => server.facts.filter(({ event }) => event === 'sftp.left').length;

it('a temporary name that another session uploads, too, stays the first one’s to rename', async () => {
  const [one, two] = [await session(), await session()];
  await put(one.sftp, '/inbox/a.tmp', 'one');
  await put(two.sftp, '/inbox/a.tmp', 'second');
  expect(await one.sftp.sizeOf('/inbox/a.tmp')).toBe(3);
  expect(await two.sftp.sizeOf('/inbox/a.tmp')).toBe(6);
  expect(await rename(one.sftp, '/inbox/a.tmp', '/inbox/one.xml')).toEqual(OK);
  expect(await rename(two.sftp, '/inbox/a.tmp', '/inbox/two.xml')).toEqual(OK);
  expect(texts()).toEqual({ 'one.xml': 'one', 'two.xml': 'second' });
});

it('also while the other one is still writing', async () => {
  const [one, two] = [await session(), await session()];
  await put(one.sftp, '/inbox/a.tmp', 'one');
  const handle = await two.sftp.openFile('/inbox/a.tmp', NEW);
  await two.sftp.write(handle, 0, 'second');
  expect(await rename(one.sftp, '/inbox/a.tmp', '/inbox/a.xml')).toEqual(OK);
  expect(await two.sftp.close(handle)).toEqual(OK);
  expect(await rename(two.sftp, '/inbox/a.tmp', '/inbox/b.xml')).toEqual(OK);
  expect(texts()).toEqual({ 'a.xml': 'one', 'b.xml': 'second' });
});

it('what a session leaves under a temporary name can be renamed by the next one, unless it was uploaded anew', async () => {
  const [one, two] = [await session(), await session()];
  await put(one.sftp, '/inbox/kept.tmp', 'kept');
  await put(one.sftp, '/inbox/a.tmp', 'old');
  await put(two.sftp, '/inbox/a.tmp', 'new');
  one.leave();
  await eventually(() => expect(left()).toBe(1));
  expect(server.receiving()).toHaveLength(2);
  expect(await rename(two.sftp, '/inbox/a.tmp', '/inbox/a.xml')).toEqual(OK);
  expect(await rename(two.sftp, '/inbox/kept.tmp', '/inbox/kept.xml')).toEqual(OK);
  expect(texts()).toEqual({ 'a.xml': 'new', 'kept.xml': 'kept' });
});

it('removing a name that another session is writing leaves that upload alone', async () => {
  const [one, two] = [await session(), await session()];
  const handle = await one.sftp.openFile('/inbox/a.xml', NEW);
  await one.sftp.write(handle, 0, 'one');
  await put(two.sftp, '/inbox/a.xml.filepart', 'second');
  expect(await two.sftp.status(TYPE.remove, string('/inbox/a.xml'))).toEqual(OK);
  expect(await two.sftp.sizeOf('/inbox/a.xml')).toBe('status 2');
  expect(await rename(two.sftp, '/inbox/a.xml.filepart', '/inbox/a.xml')).toEqual(OK);
  expect(await one.sftp.close(handle)).toEqual(OK);
  expect(
    server
      .committed()
      .map(({ name, content }) => `${name} ${content}`)
      .sort(),
  ).toEqual(['a.xml one', 'a.xml second']);
});

it('a resume behind the end of what is here fails, and nothing with a hole is taken', async () => {
  const [{ sftp: one, leave }, { sftp: two }] = [await session(), await session()];
  await one.write(await one.openFile('/inbox/a.xml', NEW), 0, 'abc');
  leave();
  await eventually(async () => expect(await two.sizeOf('/inbox/a.xml')).toBe(3));
  const handle = await two.openFile('/inbox/a.xml', WRITE | CREATE);
  const refused = {
    code: 3,
    sentence: 'only 3 bytes of this file are here, and a gap would remain before yours; upload it from the start',
  };
  expect(await two.write(handle, 9, 'jkl')).toEqual(refused);
  expect(await two.close(handle)).toEqual(refused);
  expect(texts()).toEqual({});
  await put(two, '/inbox/a.xml', 'whole');
  expect(texts()).toEqual({ 'a.xml': 'whole' });
});
