// Names of dropped files: bytes in, the same bytes out, whatever they mean elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const NEW = OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate;

let server: TestServer;
let sftp: RawSftp;
beforeAll(async () => {
  server = await startTestServer();
  sftp = await RawSftp.open(await connect(server));
});
afterAll(() => server[Symbol.asyncDispose]());

/** The names that a listing of the inbox shows, as bytes. */
async function listed(): Promise<string[]> {
  const handle = (await sftp.ask(TYPE.opendir, string('/inbox'))).fields.bytes();
  const names: string[] = [];
  for (;;) {
    const { type, fields } = await sftp.ask(TYPE.readdir, string(handle));
    if (type !== 104) break;
    for (let left = fields.uint32(); left > 0; left--) {
      names.push(fields.text());
      fields.bytes();
      // Size, owner, permissions and times: flags and 24 bytes more.
      for (let n = 0; n < 8; n++) fields.uint32();
    }
  }
  await sftp.close(handle);
  return names;
}

it.each([
  ['Latin-1', 'faktura \xe5\xe4\xf6.xml'],
  ['UTF-8', 'faktura \xc3\xa5\xc3\xa4\xc3\xb6.xml'],
  ['bytes that are neither', '\xff\xfe\x80.xml'],
  ['255 bytes', `${'n'.repeat(251)}.xml`],
  ['255 bytes that need escapes', '\xe9'.repeat(255)],
  ['upper case', 'CASE.XML'],
  ['lower case', 'case.xml'],
  ['a backslash', 'x\\..\\..\\etc\\passwd'],
  ['a drive', 'C:\\invoice.xml'],
  ['a device of Windows', 'CON'],
  ['another one', 'nul.xml'],
  ['what a shell would expand', '$(rm -rf ~) *?[a]; `id`.xml'],
  ['escapes', '%2e%2e%2fetc%00.xml'],
  ['a minus', '-rf.xml'],
  ['three dots at the end', 'a...'],
  ['spaces', '  a b  .xml '],
  ['control characters', 'a\tb\x7f\x1b[31m.xml'],
  ['a line end', 'a\nb.xml'],
])('%s', async (_what, name) => {
  const handle = await sftp.openFile(`/inbox/${name}`, NEW);
  await sftp.write(handle, 0, name);
  expect(await sftp.close(handle)).toMatchObject({ code: 0 });
  expect(await sftp.sizeOf(`/inbox/${name}`)).toBe(Buffer.byteLength(name, 'latin1'));
  expect(await listed()).toContain(name);
  const kept = server.committed().filter(({ content }) => content.equals(Buffer.from(name, 'latin1')));
  expect(kept).toHaveLength(1);
  // In the spool a long name is cut; the ledger has all of it.
  if (!kept[0]?.name.includes('+')) expect(kept[0]?.name).toBe(name);
});

it('two that differ only in case, or in one byte, are two files', async () => {
  const names = await listed();
  for (const pair of [
    ['CASE.XML', 'case.xml'],
    ['faktura \xe5\xe4\xf6.xml', 'faktura \xc3\xa5\xc3\xa4\xc3\xb6.xml'],
  ]) {
    expect(names.filter((name) => pair.includes(name))).toHaveLength(2);
  }
});

describe('a name that cannot be is refused with a sentence', () => {
  it.each([
    ['NUL', '/inbox/a\0b.xml', 3, 'a path must not contain NUL; choose another name'],
    ['256 bytes', `/inbox/${'n'.repeat(256)}`, 3, 'a name may have at most 255 bytes; choose a shorter one'],
    ['..', '/inbox/..', 3, 'this is a folder; name a file in it'],
    ['.', '/inbox/.', 3, 'this is a folder; name a file in it'],
    ['nothing', '/inbox/', 3, 'this is a folder; name a file in it'],
    ['a path above the top', '/inbox/../../../etc/passwd', 3, 'files can be put into inbox only'],
    ['a device', '/dev/null', 3, 'files can be put into inbox only'],
    ['a folder of its own', '/inbox/sub/a.xml', 3, 'files can be put into inbox only'],
  ])('%s', async (_what, path, code, sentence) => {
    expect(await sftp.status(TYPE.open, string(path), uint32(NEW), uint32(0))).toEqual({ code, sentence });
  });
});
