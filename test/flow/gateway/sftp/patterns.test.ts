// What clients do that programs on this machine do not show: WinSCP, JSch, resumes, pipelines, lost connections; packet by packet.
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const WRITE = 0x02;
const APPEND = 0x04;
const CREATE = 0x08;
const TRUNCATE = 0x10;
const EXCLUSIVE = 0x20;
const NEW = WRITE | CREATE | TRUNCATE;
const OK = expect.objectContaining({ code: 0 });

let server: TestServer;
let client: Awaited<ReturnType<typeof connect>>;
let sftp: RawSftp;

beforeEach(async () => {
  server = await startTestServer({ settings: { fileMax: 2 ** 20, handlesMax: 4 } });
  client = await connect(server);
  sftp = await RawSftp.open(client);
});
afterEach(async () => {
  client.end();
  await server[Symbol.asyncDispose]();
});

const contents = (): Record<string, string> =>
  Object.fromEntries(server.committed().map(({ name, content }) => [name, content.toString('latin1')]));

describe('uploads', () => {
  it('WinSCP: .filepart, CLOSE, REMOVE of the old name, RENAME, SETSTAT of the final name', async () => {
    expect(await sftp.sizeOf('/inbox/a.xml')).toBe('status 2');
    const handle = await sftp.openFile('/inbox/a.xml.filepart', NEW);
    expect(await sftp.write(handle, 0, 'abc')).toEqual(OK);
    expect(await sftp.close(handle)).toEqual(OK);
    expect(contents()).toEqual({});
    expect(await sftp.status(TYPE.remove, string('/inbox/a.xml'))).toMatchObject({ code: 2 });
    expect(await sftp.status(TYPE.rename, string('/inbox/a.xml.filepart'), string('/inbox/a.xml'))).toEqual(OK);
    expect(await sftp.status(TYPE.setstat, string('/inbox/a.xml'), uint32(0x08), uint32(1), uint32(2))).toEqual(OK);
    expect(await sftp.sizeOf('/inbox/a.xml')).toBe(3);
    expect(contents()).toEqual({ 'a.xml': 'abc' });
  });

  it('removing what was dropped hides it, and never cancels it', async () => {
    await sftp.close(await sftp.openFile('/inbox/a.xml', NEW));
    expect(await sftp.status(TYPE.remove, string('/inbox/a.xml'))).toEqual(OK);
    expect(await sftp.sizeOf('/inbox/a.xml')).toBe('status 2');
    expect(contents()).toEqual({ 'a.xml': '' });
  });

  it('WRITEs and CLOSE sent at once, without waiting, arrive whole; so does a RENAME behind them', async () => {
    const bytes = randomBytes(700_000);
    const handle = await sftp.openFile('/inbox/a.part', NEW);
    const writes: Promise<unknown>[] = [];
    for (let at = 0; at < bytes.length; at += 32_768) writes.push(sftp.write(handle, at, bytes.subarray(at, at + 32_768)));
    const closed = sftp.close(handle);
    const renamed = sftp.status(TYPE.rename, string('/inbox/a.part'), string('/inbox/a.xml'));
    expect(await Promise.all([...writes, closed, renamed])).toEqual(Array.from({ length: writes.length + 2 }, () => OK));
    expect(server.committed()[0]?.content.equals(bytes)).toBe(true);
  });

  it('WRITEs out of order make the same file', async () => {
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    await Promise.all([sftp.write(handle, 6, 'ghi'), sftp.write(handle, 0, 'abc'), sftp.write(handle, 3, 'def')]);
    expect(await sftp.close(handle)).toEqual(OK);
    expect(contents()).toEqual({ 'a.xml': 'abcdefghi' });
  });

  it('a file that is too large fails at WRITE and at CLOSE with the sentence, and leaves nothing', async () => {
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    const failure = { code: 4, sentence: 'file is larger than 1 MiB, the limit of this server' };
    expect(await sftp.write(handle, 0, 'x')).toEqual(OK);
    expect(await sftp.write(handle, 2 ** 20, 'x')).toEqual(failure);
    expect(await sftp.write(handle, 0, 'x')).toEqual(failure);
    expect(await sftp.close(handle)).toEqual(failure);
    expect([contents(), server.receiving()]).toEqual([{}, []]);
  });

  it('an offset beyond all numbers is too large, too', async () => {
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    const offset = Buffer.alloc(8, 0xff);
    expect(await sftp.status(TYPE.write, string(handle), offset, string('x'))).toMatchObject({ code: 4 });
  });

  it('two files of one name in flight never overwrite each other', async () => {
    const one = await sftp.openFile('/inbox/a.xml', NEW);
    const two = await sftp.openFile('/inbox/a.xml', NEW);
    await Promise.all([sftp.write(one, 0, 'one'), sftp.write(two, 0, 'two')]);
    expect([await sftp.close(one), await sftp.close(two)]).toEqual([OK, OK]);
    expect(
      server
        .committed()
        .map(({ content }) => content.toString())
        .sort(),
    ).toEqual(['one', 'two']);
  });

  it('a lost connection commits nothing; the next one resumes where it broke, by offset or by APPEND', async () => {
    for (const [name, flags, offset] of [
      ['a.xml', WRITE, 3],
      ['b.xml', WRITE | CREATE | APPEND, 0],
    ] as const) {
      const lost = await connect(server);
      const broken = await RawSftp.open(lost);
      await broken.write(await broken.openFile(`/inbox/${name}`, NEW), 0, 'abc');
      lost.destroy();
      await eventually(async () => expect(await sftp.sizeOf(`/inbox/${name}`)).toBe(3));
      expect(contents()).not.toHaveProperty([name]);
      const handle = await sftp.openFile(`/inbox/${name}`, flags);
      expect(await sftp.write(handle, offset, 'def')).toEqual(OK);
      expect(await sftp.close(handle)).toEqual(OK);
      expect(contents()).toHaveProperty([name], 'abcdef');
    }
  });

  it('a client that begins anew without TRUNCATE leaves nothing of the broken upload behind its bytes', async () => {
    const lost = await connect(server);
    const broken = await RawSftp.open(lost);
    await broken.write(await broken.openFile('/inbox/a.xml', NEW), 0, 'a long beginning');
    lost.destroy();
    await eventually(async () => expect(await sftp.sizeOf('/inbox/a.xml')).toBe(16));
    const handle = await sftp.openFile('/inbox/a.xml', WRITE | CREATE);
    await sftp.write(handle, 0, 'short');
    await sftp.close(handle);
    expect(contents()).toEqual({ 'a.xml': 'short' });
  });

  it('a channel that ends without CLOSE commits nothing', async () => {
    await sftp.write(await sftp.openFile('/inbox/a.xml', NEW), 0, 'abc');
    sftp.channel.end();
    await eventually(() => expect(server.facts.some(({ event }) => event === 'upload.broken')).toBe(true));
    expect(contents()).toEqual({});
  });

  it('opening what was dropped only to set its times sends nothing again', async () => {
    const first = await sftp.openFile('/inbox/a.xml', NEW);
    await sftp.write(first, 0, 'abc');
    await sftp.close(first);
    const handle = await sftp.openFile('/inbox/a.xml', WRITE);
    expect(await sftp.status(TYPE.fsetstat, string(handle), uint32(0x08), uint32(1), uint32(2))).toEqual(OK);
    expect(await sftp.close(handle)).toEqual(OK);
    expect(contents()).toEqual({ 'a.xml': 'abc' });
  });

  it('a size set before or after the WRITEs is the size of the file', async () => {
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    expect(await sftp.status(TYPE.fsetstat, string(handle), uint32(0x01), uint64(100))).toEqual(OK);
    await sftp.write(handle, 0, 'abcdef');
    expect(await sftp.status(TYPE.fsetstat, string(handle), uint32(0x01), uint64(4))).toEqual(OK);
    expect(await sftp.close(handle)).toEqual(OK);
    expect(contents()).toEqual({ 'a.xml': 'abcd' });
  });

  it('EXCLUSIVE, and WRITE without CREATE, mean what they say', async () => {
    const open = (flags: number) => sftp.status(TYPE.open, string('/inbox/a.xml'), uint32(flags), uint32(0));
    expect(await open(WRITE)).toMatchObject({ code: 2 });
    await sftp.close(await sftp.openFile('/inbox/a.xml', NEW | EXCLUSIVE));
    expect(await open(NEW | EXCLUSIVE)).toMatchObject({
      code: 4,
      sentence: 'a file of this name is there already; overwrite it, or take another name',
    });
  });

  it('inbox/overwrite marks what is dropped there; inbox/tmp waits for the rename out of it', async () => {
    await sftp.close(await sftp.openFile('/inbox/overwrite/a.xml', NEW));
    await sftp.close(await sftp.openFile('/inbox/tmp/b.xml', NEW));
    expect(server.committed()).toMatchObject([{ name: 'a.xml', mode: 'overwrite' }]);
    expect(await sftp.status(TYPE.rename, string('/inbox/tmp/b.xml'), string('/inbox/b.xml'))).toEqual(OK);
    expect(server.committed().find(({ name }) => name === 'b.xml')).toMatchObject({ mode: 'send' });
  });

  it('the digest is right whether or not the bytes came in order', async () => {
    const sum = (text: string) => createHash('sha256').update(text).digest('hex');
    const digests: (string | null)[] = [];
    const other = await startTestServer({
      wrap: (intake) => ({
        commit(id, file) {
          digests.push(file.sha256);
          return intake.commit(id, file);
        },
      }),
    });
    const its = await connect(other);
    const raw = await RawSftp.open(its);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const handle = await raw.openFile('/inbox/a.xml', NEW);
      for (const half of order) await raw.write(handle, half * 3, half ? 'def' : 'abc');
      await raw.close(handle);
    }
    its.end();
    await other[Symbol.asyncDispose]();
    expect(digests).toEqual([sum('abcdef'), null]);
  });
});

describe('the order and the amount of requests', () => {
  it('a STAT sent behind a CLOSE sees what the CLOSE made', async () => {
    const handle = await sftp.openFile('/inbox/a.part', NEW);
    await sftp.write(handle, 0, 'abc');
    void sftp.close(handle);
    void sftp.status(TYPE.rename, string('/inbox/a.part'), string('/inbox/a.xml'));
    expect(await sftp.sizeOf('/inbox/a.xml')).toBe(3);
  });

  it('requests of one handle are answered in their order, though some are done at once and others wait for the disk', async () => {
    const handle = await sftp.openFile('/inbox/a.part', NEW);
    const answered: number[] = [];
    const asked = Array.from({ length: 40 }, (_, n) => {
      const write = [string(handle), uint64(n * 30_000), string(Buffer.alloc(30_000))];
      const reply = n % 2 === 1 ? sftp.ask(TYPE.fstat, string(handle)) : sftp.ask(TYPE.write, ...write);
      return reply.then(() => answered.push(n));
    });
    await Promise.all(asked);
    expect(answered).toEqual(asked.map((_, n) => n));
  });

  it('no more than the allowed number of files is open', async () => {
    const handles = await Promise.all([1, 2, 3, 4].map((n) => sftp.openFile(`/inbox/${n}.xml`, NEW)));
    const open = () => sftp.status(TYPE.open, string('/inbox/5.xml'), uint32(NEW), uint32(0));
    expect(await open()).toEqual({ code: 4, sentence: 'too many files are open: 4 of 4; close some first' });
    await sftp.close(handles[0] ?? Buffer.alloc(0));
    await sftp.close(await sftp.openFile('/inbox/5.xml', NEW));
  });

  it('a handle is good for its own kind, once', async () => {
    const handle = await sftp.openFile('/inbox/a.xml', NEW);
    await sftp.close(handle);
    expect(await sftp.write(handle, 0, 'x')).toMatchObject({ code: 5 });
    expect(await sftp.close(handle)).toMatchObject({ code: 5 });
    const listing = (await sftp.ask(11, string('/'))).fields.bytes();
    expect(await sftp.write(listing, 0, 'x')).toMatchObject({ code: 3 });
  });

  it('unknown requests, links and nonsense are answered, and the session goes on', async () => {
    expect(await sftp.status(99)).toMatchObject({ code: 8 });
    expect(await sftp.status(200, string('check-file@x'))).toMatchObject({ code: 8 });
    expect(await sftp.status(20, string('/inbox/a'), string('/etc/passwd'))).toMatchObject({ code: 8 });
    expect(await sftp.status(TYPE.stat)).toMatchObject({ code: 5 });
    expect(await sftp.sizeOf('/')).toBe(0);
  });

  it.each([
    ['a packet that is too long', () => sftp.channel.write(Buffer.from('7fffffff', 'hex'))],
    ['an empty packet', () => sftp.channel.write(Buffer.from('00000000', 'hex'))],
    ['a packet without an id', () => sftp.channel.write(Buffer.from('0000000111', 'hex'))],
    ['a second INIT', () => sftp.sendBytes(TYPE.init, uint32(3))],
  ])('%s ends the channel, not the server', async (_, send) => {
    const closed = new Promise((resolve) => sftp.channel.once('close', resolve));
    send();
    await closed;
    expect(await (await RawSftp.open(client)).sizeOf('/inbox')).toBe(0);
  });

  it('a thousand READs are answered although their sum is far more than is held at a time', async () => {
    server.place('outbox', 'a.xml', Buffer.alloc(2 ** 20, 'x'));
    const handle = await sftp.openFile('/outbox/a.xml', 0x01);
    const reads = Array.from({ length: 1_000 }, (_, n) => sftp.ask(TYPE.read, string(handle), uint64(n % 4), uint32(0xffffffff)));
    for (const read of reads) {
      const { type, fields } = await read;
      expect([type, fields.bytes().length]).toEqual([103, 255 * 1024]);
    }
  });
});

describe('the folders', () => {
  it('a listing of thousands comes in pieces of 100 and ends once', async () => {
    for (let n = 0; n < 250; n++) server.place('outbox', `${n}.xml`, 'x');
    server.place('outbox', '.hidden', 'x');
    const handle = (await sftp.ask(11, string('/outbox'))).fields.bytes();
    const counts: number[] = [];
    for (let reply = await sftp.ask(12, string(handle)); reply.type === 104; reply = await sftp.ask(12, string(handle))) {
      counts.push(reply.fields.uint32());
    }
    expect(counts).toEqual([100, 100, 50]);
  });

  it('names keep their bytes, and two that differ in one byte are two', async () => {
    const names = ['caf\xe9.xml', 'caf\xc3\xa9.xml'];
    for (const name of names) await sftp.close(await sftp.openFile(`/inbox/${name}`, NEW));
    expect(
      server
        .committed()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
    for (const name of names) expect(await sftp.sizeOf(`/inbox/${name}`)).toBe(0);
  });

  it.each([
    ['/outbox/a.xml', '/outbox/a.xml.downloading', 0, ''],
    ['/receipts/a.xml', '/receipts/b.xml', 0, ''],
    ['/accepted/a.xml', '/accepted/b.xml', 3, 'files in accepted keep their names; download the file under the name that you want'],
    ['/refused/a.xml', '/refused/b.xml', 3, 'files in refused keep their names; download the file under the name that you want'],
    ['/outbox/a.xml', '/receipts/a.xml', 3, 'files cannot be moved between these folders; download the file and put it into inbox'],
    ['/accepted/a.xml', '/inbox/a.xml', 3, 'only files in refused can be moved to inbox, to be sent again'],
    ['/refused/a.xml', '/inbox/a.xml', 0, ''],
    ['/refused/a.xml', '/inbox/overwrite/a.xml', 0, ''],
    ['/outbox/a.xml', '/outbox/.a.xml', 3, 'a name here must not begin with a dot; choose another'],
    ['/outbox/a.xml', '/a.xml', 3, 'files can be renamed within their folder, and moved from refused to inbox'],
    ['/outbox', '/inbox', 3, 'the folders of a home cannot be renamed; rename the files in them'],
    ['/outbox/none.xml', '/outbox/b.xml', 2, 'there is no such file or folder'],
    ['/outbox/a.xml', '/outbox/taken.xml', 4, 'a file of the new name is there already; remove it first, or choose another name'],
  ])('RENAME %s to %s: status %i', async (from, to, code, sentence) => {
    for (const folder of ['outbox', 'receipts', 'accepted', 'refused']) server.place(folder, 'a.xml', 'x');
    server.place('outbox', 'taken.xml', 'x');
    expect(await sftp.status(TYPE.rename, string(from), string(to))).toEqual({ code, sentence });
  });

  it.each([
    [14, '/inbox', 4, 'this folder is there already'],
    [14, '/inbox/sub', 3, 'folders cannot be made here; put files straight into inbox'],
    [15, '/outbox', 3, 'the folders of a home cannot be removed'],
    [15, '/nothing', 2, 'there is no such folder'],
    [13, '/outbox', 3, 'the folders of a home cannot be removed'],
    [9, '/outbox', 0, ''],
  ])('request %i of %s: status %i', async (type, path, code, sentence) => {
    expect(await sftp.status(type, string(path), uint32(0))).toEqual({ code, sentence });
  });

  it('none of 500 paths reaches a file outside, by any request', async () => {
    const parts = [
      '..',
      '.',
      '',
      '/',
      'inbox',
      'outbox',
      '..%2f',
      '..\\',
      '.staged',
      'etc',
      'passwd',
      '~',
      'proc',
      'self',
      'a'.repeat(300),
      'x\0y',
      '\xff',
    ];
    const paths = Array.from({ length: 520 }, (_, n) =>
      [n, n / 5, n / 11, n / 23, n / 61].map((of) => parts[Math.floor(of) % parts.length]).join('/'),
    );
    const requests = [3, 7, 9, 11, 13, 14, 15, 17];
    for (const path of paths) {
      for (const type of requests) {
        const { type: replied, fields } = await sftp.ask(type, string(path), uint32(type === 3 ? 1 : 0), uint32(0));
        if (replied === 102) await sftp.close(fields.bytes());
        if (type === 3) expect(replied).toBe(101);
      }
      await sftp.ask(TYPE.rename, string(path), string('/outbox/stolen'));
      await sftp.ask(TYPE.rename, string('/outbox/none'), string(path));
    }
    expect(await sftp.sizeOf('/outbox/stolen')).toBe('status 2');
  });
});
