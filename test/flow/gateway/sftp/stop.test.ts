// How the server stops, and what a slow disk, a deaf client and a failing intake do to it.
import { connect as connectSocket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../../../support/sftp-raw.ts';
import { ACCOUNT, startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const NEW = 0x1a;
const OK = expect.objectContaining({ code: 0 });

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

async function start(options?: TestOptions) {
  server = await startTestServer(options);
  const client = await connect(server, { ident: 'OpenSSH_10.0' });
  const sftp = await RawSftp.open(client);
  /** What OpenSSH's user sees: it shows no sentence of a status. */
  const shown: string[] = [];
  sftp.errors.on('data', (piece: Buffer) => shown.push(piece.toString()));
  return { client, sftp, shown };
}

const errors = (): unknown[] => server.facts.filter(({ level }) => level === 'error');

describe('a server that stops', () => {
  it('lets a transfer end, begins no new one, and then says goodbye', async () => {
    const { client, sftp, shown } = await start();
    const idle = await connect(server);
    const idleClosed = new Promise<void>((resolve) => idle.on('close', () => resolve()));
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    const handle = await sftp.openFile('/inbox/a.part', NEW);
    const stopped = server.server.close(AbortSignal.timeout(20_000));
    await idleClosed;
    expect(await sftp.write(handle, 0, 'abc')).toEqual(OK);
    expect(await sftp.status(TYPE.open, string('/inbox/b.xml'), uint32(NEW), uint32(0))).toMatchObject({
      sentence: 'the server is stopping; try again in a minute',
    });
    expect(await sftp.close(handle)).toEqual(OK);
    expect(await sftp.status(TYPE.rename, string('/inbox/a.part'), string('/inbox/a.xml'))).toEqual(OK);
    await closed;
    await stopped;
    expect(server.committed()).toMatchObject([{ name: 'a.xml' }]);
    expect(shown.join('')).toBe('dropgate: the server is stopping; try again in a minute\r\n');
    expect(errors()).toEqual([]);
    await expect(connect(server)).rejects.toThrow();
  });

  it('cuts what is still running when its time is over; nothing of it is committed', async () => {
    const { sftp } = await start();
    await sftp.write(await sftp.openFile('/inbox/a.xml', NEW), 0, 'abc');
    await server.server.close(AbortSignal.timeout(100));
    expect(server.committed()).toEqual([]);
    expect(server.receiving()).toHaveLength(1);
    expect(errors()).toEqual([]);
    expect(server.facts).toContainEqual(expect.objectContaining({ event: 'upload.broken', login: 'erp', file: 'a.xml', size: 3 }));
  });
});

describe('back-pressure', () => {
  it('a commit that waits holds up its own answer, not the other files', async () => {
    const held = Promise.withResolvers<void>();
    const { sftp } = await start({
      wrap: (intake) => ({
        async commit(id, file) {
          if (file.size === 1) await held.promise;
          return intake.commit(id, file);
        },
      }),
    });
    const [slow, quick] = [await sftp.openFile('/inbox/slow.xml', NEW), await sftp.openFile('/inbox/quick.xml', NEW)];
    await sftp.write(slow, 0, 'x');
    const slowClosed = sftp.close(slow);
    await sftp.write(quick, 0, 'xx');
    expect(await sftp.close(quick)).toEqual(OK);
    expect(server.committed()).toMatchObject([{ name: 'quick.xml' }]);
    held.resolve();
    expect(await slowClosed).toEqual(OK);
  });

  it('a RENAME and a STAT behind a CLOSE that takes its time wait for it', async () => {
    const held = Promise.withResolvers<void>();
    const { sftp } = await start({
      wrap: (intake) => ({
        async commit(id, file) {
          await held.promise;
          return intake.commit(id, file);
        },
      }),
    });
    const handle = await sftp.openFile('/inbox/a.part', NEW);
    await sftp.write(handle, 0, 'abc');
    const closed = sftp.close(handle);
    const renamed = sftp.status(TYPE.rename, string('/inbox/a.part'), string('/inbox/a.xml'));
    const size = sftp.sizeOf('/inbox/a.xml');
    // It names no path, and overtakes them: when it is answered they have come.
    await sftp.ask(TYPE.extended, string('limits@openssh.com'));
    held.resolve();
    expect(await Promise.all([closed, renamed, size])).toEqual([OK, OK, 3]);
    expect(server.committed()).toMatchObject([{ name: 'a.xml' }]);
  });

  it('a client that asks for everything and reads nothing costs a few megabytes, and loses nothing by waiting', async () => {
    const { client, sftp } = await start();
    server.place('outbox', 'a.xml', Buffer.alloc(2 ** 18, 'x'));
    const handle = await sftp.openFile('/outbox/a.xml', 0x01);
    sftp.channel.pause();
    const before = process.memoryUsage().rss;
    const reads = Array.from({ length: 2_000 }, () => sftp.ask(TYPE.read, string(handle), uint64(0), uint32(255 * 1024)));
    const other = await connect(server);
    const beside = await RawSftp.open(other);
    expect(await beside.sizeOf('/outbox/a.xml')).toBe(2 ** 18);
    // All of it would be half a gigabyte.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    sftp.channel.resume();
    for (const read of reads) expect((await read).type).toBe(103);
    other.end();
    client.end();
  });

  it('requests that cannot be worked on stay with the client; one that sends beyond its window all the same is cut', async () => {
    const held = Promise.withResolvers<null>();
    const { client, sftp } = await start({ wrap: () => ({ find: () => held.promise }) });
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    client.on('error', () => {});
    sftp.channel.on('error', () => {});
    const side: unknown = Reflect.get(sftp.channel, 'outgoing');
    if (typeof side !== 'object' || side === null) throw new Error('no outgoing side');
    Reflect.set(side, 'window', 2 ** 40);
    for (let n = 0; n < 300; n++) void sftp.ask(TYPE.stat, string('/inbox/a.xml'));
    for (let n = 0; n < 200; n++) void sftp.ask(TYPE.write, string('1'), uint64(0), string(Buffer.alloc(60_000)));
    await closed;
    held.resolve(null);
    expect(server.facts).toContainEqual(expect.objectContaining({ event: 'sftp.cut', reason: 'flood' }));
  });

  it('a channel whose pieces may hold nothing is refused, instead of being cut into them for ever', async () => {
    server = await startTestServer();
    const client = await connect(server);
    // ssh2's own client announces 32 KiB; the packet is changed on its way out.
    const protocol: unknown = Reflect.get(client, '_protocol');
    if (typeof protocol !== 'object' || protocol === null) throw new Error('no protocol');
    const session: unknown = Reflect.get(protocol, 'session');
    if (typeof session !== 'function') throw new Error('no session');
    Reflect.set(protocol, 'session', (channel: number, window: number) => session.call(protocol, channel, window, 0));
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    void RawSftp.open(client).catch(() => {});
    await closed;
    expect(server.facts).toContainEqual(expect.objectContaining({ event: 'sftp.cut', reason: 'packet-size' }));
  });
});

describe('an intake that fails', () => {
  it('makes CLOSE fail with its sentence, shows it, and tells the log which file failed, whose, how large and why', async () => {
    const sentence = 'the disk is full; send it again later';
    const { sftp, shown } = await start({
      wrap: () => ({ commit: () => Promise.reject(new AppError('storage', sentence)) }),
    });
    const handle = await sftp.openFile('/inbox/å.xml', NEW);
    await sftp.write(handle, 0, 'abc');
    expect(await sftp.close(handle)).toEqual({ code: 4, sentence });
    await eventually(() => expect(shown.join('')).toBe(`dropgate: ${sentence}\r\n`));
    expect(errors()).toEqual([
      expect.objectContaining({ event: 'sftp.refused', login: 'erp', home: ACCOUNT, file: 'å.xml', size: 3, code: 'storage', sentence }),
    ]);
  });

  it('makes OPEN fail with its sentence', async () => {
    const { sftp } = await start({
      wrap: () => ({
        open: () => Promise.reject(new AppError('quota', 'inbox is full: 500 of 500 files wait for the service')),
      }),
    });
    const opened = await sftp.status(TYPE.open, string('/inbox/a.xml'), uint32(NEW), uint32(0));
    expect(opened).toEqual({ code: 4, sentence: 'inbox is full: 500 of 500 files wait for the service' });
    expect(server.facts).toContainEqual(
      expect.objectContaining({ event: 'sftp.refused', login: 'erp', file: 'a.xml', size: 0, code: 'quota' }),
    );
  });

  it('with something unknown is FAILURE, an error in the log, and no end of the session', async () => {
    const { sftp, shown } = await start({ wrap: () => ({ find: () => Promise.reject(new TypeError('broken')) }) });
    expect(await sftp.sizeOf('/inbox/a.xml')).toBe('status 4');
    expect(await sftp.sizeOf('/inbox')).toBe(0);
    expect(server.facts).toContainEqual(expect.objectContaining({ event: 'sftp.refused', level: 'error' }));
    await eventually(() => expect(shown.join('')).toBe('dropgate: An internal error occurred; try again.\r\n'));
  });
});

describe('connections that come and go', () => {
  it('leave nothing behind: 200 of them, half of them in mid-upload', { timeout: LONG_MS }, async () => {
    const left: string[] = [];
    server = await startTestServer({
      wrap: (intake) => ({
        leave(session) {
          left.push(session);
          intake.leave(session);
        },
      }),
    });
    for (let n = 0; n < 100; n += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, k) => {
          const client = await connect(server);
          const sftp = await RawSftp.open(client);
          void sftp.write(await sftp.openFile(`/inbox/${n + k}.xml`, NEW), 0, Buffer.alloc(50_000));
          client.destroy();
          connectSocket(server.port, '127.0.0.1')
            .on('error', () => {})
            .resume()
            .destroy();
        }),
      );
    }
    await eventually(() => expect(left).toHaveLength(100));
    expect(server.committed()).toEqual([]);
  });
});
