// Views over SFTP: folders that nothing on disk stands behind. Listed and read as others; nothing can be changed in them.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import type { Asker, View } from '#gateway/model/view.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const NAMES = Array.from({ length: 2_500 }, (_, at) => `N-${at}.txt`);
const LARGE_BYTES = 4 * 2 ** 20;

/** Pages that were read, and whose questions the view has heard. */
let pages = 0;
const askers: Asker[] = [];
const text = ({ home }: Asker, name: string): Buffer =>
  name === 'large.txt' ? Buffer.alloc(LARGE_BYTES) : Buffer.from(`${name} of ${home}\n`);
const view: View = {
  async *list(asker) {
    for (let at = 0; at < NAMES.length; at += 1_000) {
      pages++;
      yield NAMES.slice(at, at + 1_000).map((name) => ({ name, size: text(asker, name).length, mtimeMs: 1_000 }));
    }
  },
  async stat(asker, name) {
    return NAMES.includes(name) || name === 'large.txt' ? { size: text(asker, name).length, mtimeMs: 1_000 } : null;
  },
  async read(asker, name) {
    askers.push(asker);
    return (await view.stat(asker, name)) && { bytes: text(asker, name), mtimeMs: 1_000 };
  },
};

const SEES: Partial<Login> = { rules: { answers: ['status'] } };
const LOGINS: readonly Partial<Login>[] = [
  { login: 'erp', ...SEES },
  { login: 'plain' },
  { login: 'flat', rules: { ...SEES.rules, layout: 'flat' } },
  {
    login: 'firm',
    ...SEES,
    homes: [
      { home: 'beta-ab', folder: 'beta' },
      { home: 'gamma-ab', folder: 'gamma' },
    ],
  },
];

let server: TestServer;
const clients: ssh2.Client[] = [];
beforeAll(async () => {
  server = await startTestServer({ views: { status: view }, logins: LOGINS });
});
afterAll(async () => {
  for (const client of clients) client.end();
  await server[Symbol.asyncDispose]();
});

async function enter(login: string): Promise<ssh2.SFTPWrapper> {
  const client = await connect({ ...server, login });
  clients.push(client);
  return openSftp(client);
}
const list = async (sftp: ssh2.SFTPWrapper, path: string): Promise<string[]> =>
  (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done))).map(({ filename }) => filename).sort();
const get = async (sftp: ssh2.SFTPWrapper, path: string): Promise<string> =>
  (await called<Buffer>((done) => sftp.readFile(path, done))).toString();

describe('a login that has a view', () => {
  it('lists it to its end, and reads files of the size that the folder shows', async () => {
    const sftp = await enter('erp');
    expect(await list(sftp, '/')).toEqual(['accepted', 'inbox', 'outbox', 'receipts', 'refused', 'status']);
    expect(await list(sftp, '/status')).toEqual([...NAMES].sort());
    expect((await called<ssh2.Stats>((done) => sftp.stat('/status', done))).isDirectory()).toBe(true);
    expect((await called<ssh2.Stats>((done) => sftp.stat('/status/N-7.txt', done))).size).toBe('N-7.txt of acme-ab\n'.length);
    expect(await get(sftp, '/status/N-7.txt')).toBe('N-7.txt of acme-ab\n');
    expect(askers.at(-1)).toMatchObject({ login: 'erp', home: 'acme-ab', names: { inbox: 'inbox' } });
  });

  it('cannot change anything in it, and is told so', async () => {
    const sftp = await enter('erp');
    const refused = /status is written by the server; its files can be read, and nothing in it can be changed/;
    await expect(called<void>((done) => sftp.writeFile('/status/N-1.txt', 'mine', done))).rejects.toThrow(refused);
    await expect(called<void>((done) => sftp.unlink('/status/N-1.txt', done))).rejects.toThrow(refused);
    await expect(called<void>((done) => sftp.rename('/status/N-1.txt', '/status/new.txt', done))).rejects.toThrow(refused);
    await expect(called<void>((done) => sftp.rename('/status/N-1.txt', '/inbox/new.xml', done))).rejects.toThrow(refused);
    server.place('refused', 'again.xml', '<x/>');
    await expect(called<void>((done) => sftp.rename('/refused/again.xml', '/status/again.xml', done))).rejects.toThrow(refused);
    await expect(called<void>((done) => sftp.rmdir('/status', done))).rejects.toThrow(/cannot be removed/);
    await expect(called<void>((done) => sftp.rename('/status', '/state', done))).rejects.toThrow(/cannot be renamed/);
    await expect(called<void>((done) => sftp.mkdir('/status/new', done))).rejects.toThrow(/folders cannot be made here/);
    expect(await get(sftp, '/status/N-1.txt')).toBe('N-1.txt of acme-ab\n');
  });

  it.each(['..%2fN-1.txt', '.N-1.txt', 'not-there.txt', 'a\u0001b.txt', '%2e%2e', 'N-1.txt/deeper', 'n'.repeat(255)])(
    'is told that there is no %j, before the view is asked where it cannot be a name',
    async (name) => {
      await expect(get(await enter('erp'), `/status/${name}`)).rejects.toThrow(/no such file/i);
    },
  );

  it('gets no farther than the view by dots, and no NUL in a name', async () => {
    const sftp = await enter('erp');
    expect(await list(sftp, '/status/../..')).toContain('inbox');
    await expect(get(sftp, '/status/N-1.txt\0.xml')).rejects.toThrow(/NUL/);
  });

  it('has it in each of its homes, each with its own files', async () => {
    const sftp = await enter('firm');
    expect(await list(sftp, '/')).toEqual(['beta', 'gamma']);
    expect(await list(sftp, '/beta')).toContain('status');
    expect(await get(sftp, '/gamma/status/N-1.txt')).toBe('N-1.txt of gamma-ab\n');
    await expect(list(sftp, '/status')).rejects.toThrow(/no such folder/);
  });

  it('has it among the files of an outbox at the top; a file there of that name is hidden', async () => {
    const sftp = await enter('flat');
    server.place('outbox', 'status', 'a document');
    expect((await list(sftp, '/')).filter((name) => name === 'status')).toEqual(['status']);
    expect(await get(sftp, '/status/N-1.txt')).toBe('N-1.txt of acme-ab\n');
  });
});

describe('a client that asks for too much', () => {
  it('may open files of a view until they hold 16 MiB, for all sessions of its login, and again when it has closed them', async () => {
    const sftps = [await enter('erp'), await enter('erp')];
    const open = (sftp: ssh2.SFTPWrapper): Promise<Buffer> => called<Buffer>((done) => sftp.open('/status/large.txt', 'r', done));
    const handles = await Promise.all([0, 1, 0, 1].map(async (at) => ({ sftp: sftps[at]!, handle: await open(sftps[at]!) })));
    await expect(open(sftps[0]!)).rejects.toThrow(/too many files of such folders are open/);
    const [first] = handles;
    await called<void>((done) => first!.sftp.close(first!.handle, done));
    const again = await open(sftps[1]!);
    await called<void>((done) => sftps[1]!.close(again, done));
    // A session that ends gives back what it had open.
    clients.at(-1)?.end();
    clients.at(-2)?.end();
    const sftp = await enter('erp');
    await expect.poll(() => open(sftp).then(() => 'open', String)).toBe('open');
  });

  it('may begin listings and leave them: what is read is asked for only then; the ninth is refused; what is asked at once comes in order', async () => {
    const sftp = await enter('erp');
    const opened: Buffer[] = [];
    const before = pages;
    for (let at = 0; at < 8; at++) opened.push(await called<Buffer>((done) => sftp.opendir('/status', done)));
    await expect(called<Buffer>((done) => sftp.opendir('/status', done))).rejects.toThrow(/too many folders are open/);
    expect(pages).toBe(before);
    await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(opened[1]!, done));
    expect(pages).toBe(before + 1);
    const parts = await Promise.all(
      Array.from({ length: 25 }, () => called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(opened[0]!, done))),
    );
    expect(parts.flat().map(({ filename }) => filename)).toEqual(NAMES);
  });
});

describe('a login without the rule', () => {
  it('has no such folder, also where somebody has made one on disk', async () => {
    mkdirSync(server.home('status'));
    writeFileSync(join(server.home('status'), 'N-1.txt'), 'on disk');
    const sftp = await enter('plain');
    expect(await list(sftp, '/')).not.toContain('status');
    await expect(list(sftp, '/status')).rejects.toThrow(/no such folder/);
    await expect(get(sftp, '/status/N-1.txt')).rejects.toThrow(/no such file/i);
    expect(await get(await enter('erp'), '/status/N-1.txt')).toBe('N-1.txt of acme-ab\n');
    expect(readdirSync(server.home('status'))).toEqual(['N-1.txt']);
  });

  it('that had it loses it while it reads', async () => {
    const sftp = await enter('erp');
    const handle = await called<Buffer>((done) => sftp.open('/status/N-1.txt', 'r', done));
    const listing = await called<Buffer>((done) => sftp.opendir('/status', done));
    await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(listing, done));
    server.change('erp', { rules: {} });
    server.server.review();
    try {
      const into = Buffer.alloc(10);
      await expect(called<number>((done) => sftp.read(handle, into, 0, 10, 0, done))).rejects.toThrow(/no folder status any more/);
      const rest = async (): Promise<void> => {
        for (let at = 0; at < 30; at++) await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(listing, done));
      };
      await expect(rest()).rejects.toThrow(/no folder status any more/);
    } finally {
      server.change('erp', SEES);
      server.server.review();
    }
  });
});
