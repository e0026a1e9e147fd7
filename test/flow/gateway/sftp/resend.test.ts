// A refused original that is moved back to the inbox by RENAME is sent again: it is a new item, marked as one.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { string } from '#gateway/sftp/protocol/fields.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const OK = expect.objectContaining({ code: 0 });
const FLAGS: Readonly<Record<string, string>> = { resend: 'r', overwrite: 'o' };

let server: TestServer;
let client: Awaited<ReturnType<typeof connect>>;
let sftp: RawSftp;

beforeEach(async () => {
  server = await startTestServer();
  client = await connect(server);
  sftp = await RawSftp.open(client);
  server.place('refused', 'x.abcd1234.xml', '<X/>');
});
afterEach(async () => {
  client.end();
  await server[Symbol.asyncDispose]();
});

const rename = (from: string, to: string): Promise<{ code: number; sentence: string }> =>
  sftp.status(TYPE.rename, string(from), string(to));

it.each([
  ['to its old name', '/inbox/x.xml', 'resend'],
  ['to the name that it has', '/inbox/x.abcd1234.xml', 'resend'],
  ['to a name that is longer than we keep', `/inbox/${'n'.repeat(251)}.xml`, 'resend'],
  ['into inbox/overwrite', '/inbox/overwrite/x.xml', 'overwrite'],
])('%s', async (_, to, mode) => {
  expect(await rename('/refused/x.abcd1234.xml', to)).toEqual(OK);
  const [one, ...others] = server.committed();
  expect([one?.mode, one?.content.toString(), others.length]).toEqual([mode, '<X/>', 0]);
  expect(readdirSync(join(server.data, 'spool', 'acme-ab'))[0]).toMatch(new RegExp(`^[0-9A-Z]{26}~${FLAGS[mode]}~`));
  expect(await sftp.sizeOf('/refused/x.abcd1234.xml')).toBe('status 2');
  // It is seen in the inbox, as an upload is.
  expect(await sftp.sizeOf(to)).toBe(4);
});

it.each(['/inbox/x.xml.part', '/inbox/.x.xml', '/inbox/tmp/x.xml'])('not to %s, which is a name for what is not finished', async (to) => {
  expect(await rename('/refused/x.abcd1234.xml', to)).toMatchObject({ sentence: expect.stringContaining('real name') });
  expect(server.committed()).toEqual([]);
  expect(await sftp.sizeOf('/refused/x.abcd1234.xml')).toBe(4);
});

it('one that has gone meanwhile is missing, and nothing is left of the try', async () => {
  rmSync(server.home('refused/x.abcd1234.xml'));
  expect(await rename('/refused/x.abcd1234.xml', '/inbox/x.xml')).toMatchObject({ code: 2 });
  expect([server.committed(), server.receiving()]).toEqual([[], []]);
});
