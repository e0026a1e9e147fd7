// Layouts: the same homes under other names; and homes that come and go while a session is open.
import { readdirSync } from 'node:fs';
import type ssh2 from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Layout } from '#gateway/model/layout.ts';
import { costOf } from '../../../support/cost.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';

let server: TestServer;
let client: ssh2.Client;
let sftp: ssh2.SFTPWrapper;

async function enter(options: TestOptions): Promise<void> {
  server = await startTestServer(options);
  client = await connect(server);
  sftp = await openSftp(client);
}
async function leave(): Promise<void> {
  client.end();
  await server[Symbol.asyncDispose]();
}

const list = async (path: string): Promise<string[]> =>
  (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done))).map(({ filename }) => filename).sort();
const put = (path: string, content: string): Promise<void> => called((done) => sftp.writeFile(path, content, done));
const get = async (path: string): Promise<string> => (await called<Buffer>((done) => sftp.readFile(path, done))).toString();
const move = (from: string, to: string): Promise<void> => called((done) => sftp.rename(from, to, done));
const remove = (path: string): Promise<void> => called((done) => sftp.unlink(path, done));
const kindOf = async (path: string): Promise<string> => {
  const stats = await called<ssh2.Stats>((done) => sftp.stat(path, done));
  return stats.isDirectory() ? 'folder' : `file of ${stats.size}`;
};

interface Row {
  readonly title: string;
  readonly layout?: Layout;
  readonly inbox: string;
  readonly outbox: string;
  readonly accepted?: string;
  readonly receipts: string;
  readonly refused: string;
  readonly top: readonly string[];
}

const LOOK_MS_MAX = 5;

const ROWS: readonly Row[] = [
  {
    title: 'standard',
    inbox: 'inbox',
    outbox: 'outbox',
    receipts: 'receipts',
    refused: 'refused',
    top: ['accepted', 'inbox', 'outbox', 'receipts', 'refused'],
  },
  {
    title: 'to-from-peppol',
    layout: 'to-from-peppol',
    inbox: 'to-peppol',
    outbox: 'from-peppol',
    receipts: 'receipts',
    refused: 'refused',
    top: ['accepted', 'from-peppol', 'receipts', 'refused', 'to-peppol'],
  },
  {
    title: 'flat',
    layout: 'flat',
    inbox: 'send',
    outbox: '',
    receipts: 'receipts',
    refused: 'refused',
    top: ['accepted', 'receipts', 'refused', 'send'],
  },
  {
    title: 'out-in',
    layout: 'out-in',
    inbox: 'out',
    outbox: 'in',
    receipts: 'receipts',
    refused: 'refused',
    top: ['accepted', 'in', 'out', 'receipts', 'refused'],
  },
  {
    title: 'out-in-sent-failed',
    layout: 'out-in-sent-failed',
    inbox: 'OUT',
    outbox: 'IN',
    accepted: 'SENT',
    receipts: 'receipts',
    refused: 'FAILED',
    top: ['FAILED', 'IN', 'OUT', 'SENT', 'receipts'],
  },
  {
    title: 'names of its own',
    layout: { inbox: 'UT', outbox: 'IN', refused: 'FEL' },
    inbox: 'UT',
    outbox: 'IN',
    receipts: 'receipts',
    refused: 'FEL',
    top: ['FEL', 'IN', 'UT', 'accepted', 'receipts'],
  },
];

describe.each(ROWS)('layout $title', ({ layout, inbox, outbox, accepted = 'accepted', receipts, refused, top }) => {
  describe.each([
    ['at the top', '', ''],
    ['in a folder of the login', 'child', '/child'],
  ])('%s', (_where, folder, root) => {
    const rules = layout === undefined ? {} : { layout };
    beforeAll(() => enter({ logins: [{ homes: [{ home: 'acme-ab', folder }], rules }] }));
    afterAll(leave);
    const received = outbox === '' ? root : `${root}/${outbox}`;

    it('shows its folders, and no other is there', async () => {
      expect(await list(root || '/')).toEqual([...top].sort());
      for (const name of top) expect(await kindOf(`${root}/${name}`)).toBe('folder');
      for (const name of ['inbox', 'outbox', 'send', 'nowhere'].filter((each) => !top.includes(each))) {
        await expect(kindOf(`${root}/${name}`)).rejects.toThrow('no such file');
      }
      expect(await list(`${root}/${inbox}`)).toEqual(['overwrite', 'tmp']);
    });

    it('takes what is dropped: under its name, by a temporary one, in the folders below', async () => {
      await put(`${root}/${inbox}/one.xml`, '<One/>');
      await put(`${root}/${inbox}/two.xml.filepart`, '<Two/>');
      expect(await list(`${root}/${inbox}`)).toEqual(['one.xml', 'overwrite', 'tmp', 'two.xml.filepart']);
      await move(`${root}/${inbox}/two.xml.filepart`, `${root}/${inbox}/two.xml`);
      await put(`${root}/${inbox}/tmp/three.xml`, '<Three/>');
      await move(`${root}/${inbox}/tmp/three.xml`, `${root}/${inbox}/three.xml`);
      await put(`${root}/${inbox}/overwrite/four.xml`, '<Four/>');
      expect(server.committed().map(({ name, mode }) => [name, mode])).toEqual([
        ['one.xml', 'send'],
        ['two.xml', 'send'],
        ['three.xml', 'send'],
        ['four.xml', 'overwrite'],
      ]);
      expect(await kindOf(`${root}/${inbox}/one.xml`)).toBe('file of 6');
      await remove(`${root}/${inbox}/one.xml`);
      expect(await list(`${root}/${inbox}`)).toEqual(['overwrite', 'three.xml', 'tmp', 'two.xml']);
    });

    it('gives what was received: listed, downloaded, renamed and deleted', async () => {
      server.place('outbox', 'a.xml', '<A/>');
      server.place('receipts', 'b.json', '{}');
      expect(await list(received || '/')).toContain('a.xml');
      expect(await list(`${root}/${receipts}`)).toEqual(['b.json']);
      await move(`${received}/a.xml`, `${received}/a.xml.downloading`);
      expect(await get(`${received}/a.xml.downloading`)).toBe('<A/>');
      await remove(`${received}/a.xml.downloading`);
      await remove(`${root}/${receipts}/b.json`);
      expect(await list(`${root}/${receipts}`)).toEqual([]);
      expect(await list(received || '/')).not.toContain('a.xml.downloading');
    });

    it('sends a refused file again when it is moved back', async () => {
      server.place('refused', 'again.xml', '<Again/>');
      await move(`${root}/${refused}/again.xml`, `${root}/${inbox}/again.xml`);
      expect(server.committed().at(-1)).toMatchObject({ name: 'again.xml', content: Buffer.from('<Again/>') });
      expect(await list(`${root}/${refused}`)).toEqual([]);
    });

    it('refuses what leads nowhere, with the names that are seen', async () => {
      server.place('outbox', 'a.xml', '<A/>');
      server.place('accepted', 'b.xml', '<B/>');
      await expect(put(`${received}/new.xml`, 'x')).rejects.toThrow(`files can be put into ${inbox} only`);
      await expect(move(`${root}/${accepted}/b.xml`, `${root}/${inbox}/b.xml`)).rejects.toThrow(
        `only files in ${refused} can be moved to ${inbox}`,
      );
      await expect(move(`${received}/a.xml`, `${root}/${receipts}/a.xml`)).rejects.toThrow(`put it into ${inbox}`);
      await expect(called((done) => sftp.mkdir(`${root}/${inbox}`, done))).rejects.toThrow('there already');
      await expect(called((done) => sftp.rmdir(`${root}/${inbox}`, done))).rejects.toThrow('cannot be removed');
      await expect(move(`${received}/a.xml`, `${root}/${inbox}`)).rejects.toThrow();
      expect(await get(`${received}/a.xml`)).toBe('<A/>');
    });
  });
});

describe('a flat home', () => {
  afterEach(leave);

  it('has no file where a folder stands', async () => {
    await enter({ logins: [{ rules: { layout: 'flat' } }] });
    server.place('outbox', 'send', 'not a folder');
    server.place('outbox', 'a.xml', '<A/>');
    expect(await list('/')).toEqual(['a.xml', 'accepted', 'receipts', 'refused', 'send']);
    expect(await kindOf('/send')).toBe('folder');
    await expect(get('/send')).rejects.toThrow();
    await expect(move('/a.xml', '/receipts')).rejects.toThrow();
    await expect(remove('/send')).rejects.toThrow('cannot be removed');
  });
});

describe('while a session is open', () => {
  afterEach(leave);

  const one = { home: 'acme-ab', folder: 'one' };
  const two = { home: 'acme-ab', folder: 'two' };

  it('a home that is added is there at the next request, and one that is taken away is not', async () => {
    const kept = { home: 'acme-ab', folder: 'kept' };
    await enter({ logins: [{ homes: [kept, one] }] });
    expect(await list('/')).toEqual(['kept', 'one']);
    server.change('erp', { homes: [kept, one, two] });
    server.server.review();
    expect(await list('/')).toEqual(['kept', 'one', 'two']);
    await put('/two/inbox/a.xml', '<A/>');
    server.change('erp', { homes: [kept, two] });
    server.server.review();
    expect(await list('/')).toEqual(['kept', 'two']);
    await expect(kindOf('/one/inbox')).rejects.toThrow('no such file');
    await expect(put('/one/inbox/b.xml', 'x')).rejects.toThrow();
    expect(server.committed().map(({ name }) => name)).toEqual(['a.xml']);
  });

  it('an upload into a home that is taken away meanwhile is refused at its end', async () => {
    await enter({
      logins: [
        {
          homes: [
            { home: 'acme-ab', folder: 'one' },
            { home: 'other', folder: 'two' },
          ],
        },
      ],
    });
    const handle = await called<Buffer>((done) => sftp.open('/one/inbox/a.xml', 'w', done));
    await called((done) => sftp.write(handle, Buffer.from('<A/>'), 0, 4, 0, done));
    server.change('erp', { homes: [{ home: 'other', folder: 'two' }] });
    server.server.review();
    await expect(called((done) => sftp.close(handle, done))).rejects.toThrow('not yours any more');
    expect([server.committed(), server.receiving()]).toEqual([[], []]);
  });

  it('a download and a listing that are open in a home that is taken away end, and nothing more is taken from it', async () => {
    const other = { home: 'other', folder: 'two' };
    await enter({ logins: [{ homes: [one, other] }], downloadTakes: true });
    for (let n = 0; n < 200; n++) server.place('outbox', `${n}.xml`, '<A/>');
    const [half, whole, listing] = await Promise.all([
      called<Buffer>((done) => sftp.open('/one/outbox/1.xml', 'r', done)),
      called<Buffer>((done) => sftp.open('/one/outbox/2.xml', 'r', done)),
      called<Buffer>((done) => sftp.opendir('/one/outbox', done)),
    ]);
    const read = (handle: Buffer, from: number, bytes: number) =>
      called<number>((done) => sftp.read(handle, Buffer.alloc(bytes), 0, bytes, from, done));
    expect(await Promise.all([read(half, 0, 2), read(whole, 0, 4)])).toEqual([2, 4]);
    await called<unknown>((done) => sftp.readdir(listing, done));
    server.change('erp', { homes: [other] });
    server.server.review();
    await expect(read(half, 2, 2)).rejects.toThrow('not yours any more');
    await expect(called<unknown>((done) => sftp.readdir(listing, done))).rejects.toThrow('not yours any more');
    for (const handle of [half, whole]) await called((done) => sftp.close(handle, done));
    expect(readdirSync(server.home('outbox'))).toHaveLength(200);
  });

  it('a login that sees nothing of what it saw is sent away', async () => {
    await enter({ logins: [{ homes: [one] }] });
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    client.on('error', () => {});
    server.change('erp', { homes: [two] });
    server.server.review();
    await closed;
  });

  it('three hundred homes cost a request as little as one', async () => {
    const homes = Array.from({ length: 300 }, (_, index) => ({ home: 'acme-ab', folder: `child-${index}` }));
    await enter({ logins: [{ homes }] });
    expect(await list('/')).toHaveLength(300);
    const looks = async (): Promise<void> => {
      for (let round = 0; round < 200; round++) await kindOf('/child-299/inbox');
    };
    // Client and server together; without the tree that is kept, each request reads all the names.
    expect(await costOf(looks, 200 * LOOK_MS_MAX)).toBeLessThan(200 * LOOK_MS_MAX);
  });
});
