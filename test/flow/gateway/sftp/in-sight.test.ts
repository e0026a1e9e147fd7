// What is listed in an inbox: it can be read, keeps the time that its client gave it, and breaks nobody's listing.
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { connect, have, openSsh, PYTHON, run } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { PASSWORD, startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';

const [READ, NEW] = [0x01, 0x1a];
const OK = { code: 0, sentence: '' };
const TIMES = 0x08;
const SET_S = 1_700_000_000;
const LATIN1 = 'caf\xe9 50%.xml';
const SHOWN = 'caf%E9 50%25.xml';

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

async function start(options?: TestOptions): Promise<RawSftp> {
  server = await startTestServer(options);
  return enter();
}
const enter = async (): Promise<RawSftp> => RawSftp.open(await connect(server));

async function put(sftp: RawSftp, path: string, text = 'abc'): Promise<void> {
  const handle = await sftp.openFile(path, NEW);
  await sftp.write(handle, 0, text);
  expect(await sftp.close(handle)).toEqual(OK);
}

async function read(sftp: RawSftp, path: string): Promise<string> {
  const handle = await sftp.openFile(path, READ);
  const { type, fields } = await sftp.ask(TYPE.read, string(handle), uint64(0), uint32(1_000));
  await sftp.close(handle);
  return type === 103 ? fields.bytes().toString() : `status ${fields.uint32()}`;
}

/** Names and times of change, in seconds. */
async function listed(sftp: RawSftp, folder: string): Promise<Record<string, number>> {
  const handle = (await sftp.ask(TYPE.opendir, string(folder))).fields.bytes();
  const found: Record<string, number> = {};
  for (;;) {
    const { type, fields } = await sftp.ask(TYPE.readdir, string(handle));
    if (type !== 104) return found;
    for (let left = fields.uint32(); left > 0; left--) {
      const name = fields.text();
      fields.bytes();
      for (let n = 0; n < 7; n++) fields.uint32();
      found[name] = fields.uint32();
    }
  }
}

it('a file of a local program can be read while it is listed', async () => {
  const sftp = await start();
  server.place('inbox', 'theirs.xml', 'theirs');
  expect(await read(sftp, '/inbox/theirs.xml')).toBe('theirs');
});

it('a time that was set, before CLOSE or after, is the one that is shown, also by the real name', async () => {
  const sftp = await start();
  const times = [uint32(TIMES), uint32(SET_S - 1), uint32(SET_S)];
  const handle = await sftp.openFile('/inbox/before.xml', NEW);
  await sftp.write(handle, 0, 'abc');
  expect(await sftp.status(TYPE.fsetstat, string(handle), ...times)).toEqual(OK);
  expect(await sftp.close(handle)).toEqual(OK);
  await put(sftp, '/inbox/after.xml');
  expect(await sftp.status(TYPE.setstat, string('/inbox/after.xml'), ...times)).toEqual(OK);
  await put(sftp, '/inbox/renamed.tmp');
  // With all that a client may set: size, owner, permissions, times.
  const all = [uint32(0x0f), uint64(3), uint32(1), uint32(1), uint32(0o644), uint32(SET_S - 1), uint32(SET_S)];
  expect(await sftp.status(TYPE.setstat, string('/inbox/renamed.tmp'), ...all)).toEqual(OK);
  expect(await sftp.status(TYPE.rename, string('/inbox/renamed.tmp'), string('/inbox/renamed.xml'))).toEqual(OK);
  expect(await listed(await enter(), '/inbox')).toMatchObject({ 'before.xml': SET_S, 'after.xml': SET_S, 'renamed.xml': SET_S });
});

it('removing what was taken hides it, or says why not where the login has the rule', async () => {
  const sftp = await start({ logins: [{ rules: { removal: 'say' } }] });
  await put(sftp, '/inbox/a.xml');
  const removed = await sftp.status(TYPE.remove, string('/inbox/a.xml'));
  expect(removed).toEqual({ code: 3, sentence: "'a.xml' was taken; ask the administrator to cancel it" });
  expect(await sftp.sizeOf('/inbox/a.xml')).toBe(3);
  // What nobody has taken can be removed.
  await put(sftp, '/inbox/b.tmp');
  expect(await sftp.status(TYPE.remove, string('/inbox/b.tmp'))).toEqual(OK);
  server.change('erp', { rules: {} });
  server.server.review();
  expect(await sftp.status(TYPE.remove, string('/inbox/a.xml'))).toEqual(OK);
  expect(await sftp.sizeOf('/inbox/a.xml')).toBe('status 2');
});

it('a name that is not UTF-8 is as it was sent for the session that sent it, and escaped for all others, who can use it so', async () => {
  const sftp = await start();
  await put(sftp, `/inbox/${LATIN1}`);
  writeFileSync(Buffer.from(join(server.home('inbox'), 'theirs \xe9.xml'), 'latin1'), 'theirs');
  writeFileSync(Buffer.from(join(server.home('outbox'), 'old \xe9.xml'), 'latin1'), 'old');
  expect(Object.keys(await listed(sftp, '/inbox'))).toEqual(expect.arrayContaining([LATIN1, 'theirs %E9.xml']));
  const other = await enter();
  const names = Object.keys(await listed(other, '/inbox'));
  expect(names).toEqual(expect.arrayContaining([SHOWN, 'theirs %E9.xml']));
  expect(names).not.toContain(LATIN1);
  expect(await read(other, `/inbox/${SHOWN}`)).toBe('abc');
  expect(await other.sizeOf(`/inbox/${LATIN1}`)).toBe(3);
  expect(await read(other, '/inbox/theirs %E9.xml')).toBe('theirs');
  expect(Object.keys(await listed(other, '/outbox'))).toEqual(['old %E9.xml']);
  expect(await read(other, '/outbox/old %E9.xml')).toBe('old');
  expect(await other.status(TYPE.remove, string('/outbox/old %E9.xml'))).toEqual(OK);
  expect(await other.status(TYPE.remove, string(`/inbox/${SHOWN}`))).toEqual(OK);
  expect(await sftp.sizeOf(`/inbox/${LATIN1}`)).toBe('status 2');
});

it.skipIf(!existsSync(PYTHON) || (await run(PYTHON, ['-c', 'import paramiko'])).status !== 0)(
  'paramiko lists beside such a name',
  async () => {
    await put(await start(), `/inbox/${LATIN1}`);
    const script = `
import paramiko
transport = paramiko.Transport(('127.0.0.1', ${server.port}))
transport.connect(username='erp', password='${PASSWORD}')
print(sorted(paramiko.SFTPClient.from_transport(transport).listdir('/inbox')))
transport.close()`;
    const { out, err } = await run(PYTHON, ['-c', script]);
    expect({ out, err: err.includes('UnicodeDecodeError') }).toEqual({ out: `['${SHOWN}', 'overwrite', 'tmp']\n`, err: false });
  },
);

it.skipIf(!have('rclone'))('rclone sends nothing twice while it is listed, and finds what it sent', async () => {
  await start();
  const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));
  writeFileSync(join(local, 'a.xml'), 'abc');
  utimesSync(join(local, 'a.xml'), SET_S, SET_S);
  const password = (await run('rclone', ['obscure', PASSWORD])).out.trim();
  const remote = `:sftp,host=127.0.0.1,port=${server.port},user=erp,pass=${password},shell_type=none:/inbox`;
  const rclone = (...args: string[]) => run('rclone', [...args, '--retries', '1'], '', { RCLONE_CONFIG: '/dev/null' });
  for (const _ of [1, 2]) expect(await rclone('copy', local, remote)).toMatchObject({ status: 0 });
  expect(server.committed()).toHaveLength(1);
  expect(await rclone('check', '--download', local, remote, '--one-way')).toMatchObject({ status: 0 });
  rmSync(local, { recursive: true });
});

it.skipIf(!have('sftp'))('OpenSSH gets all that is listed, and shows that a folder is there already', async () => {
  const sftp = await start();
  await put(sftp, '/inbox/a.xml');
  const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));
  const { status, err } = await openSsh(server, ['-mkdir inbox', `get -R inbox ${local}/`], ['-b', '-']);
  expect({ status, err }).toEqual({ status: 0, err: expect.stringContaining('dropgate: this folder is there already') });
  expect(readFileSync(join(local, 'inbox', 'a.xml'), 'utf8')).toBe('abc');
  rmSync(local, { recursive: true });
});
