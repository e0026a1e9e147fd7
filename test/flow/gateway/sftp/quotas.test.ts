// The quota of a home: what a login may upload while there is room, and what it is told when there is none.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { HomeQuotas } from '#gateway/spool/quotas.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';
import { called, connect, have, openSftp, openSsh } from '../../../support/sftp-clients.ts';
import { answering, startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';

let server: TestServer;
/** Uploads that were asked for, and those that were closed, which are judged or done. */
let opens = 0;
let commits = 0;
afterEach(() => server[Symbol.asyncDispose]());

/** Awaited before a measurement ends, and before what fits is taken. */
interface Holds {
  readonly walks?: () => Promise<void>;
  readonly lands?: () => Promise<void>;
}

/** A login with these rules, and the sentence with which a file of so many bytes is refused, or 'taken'. */
async function start(
  rules: LoginRules,
  { clock = systemClock, walks = async () => {}, lands = async () => {} }: Holds & { readonly clock?: Clock } = {},
): Promise<(name: string, bytes: number) => Promise<string>> {
  [opens, commits] = [0, 0];
  server = await startTestServer({
    logins: [{ rules }],
    wrap: (intake) => {
      const held = answering(intake, {
        async commit(...upload) {
          await lands();
          return intake.commit(...upload);
        },
      });
      const limited = new HomeQuotas({
        intake: held,
        logins: { find: (login) => ({ login, passwordHash: null, publicKeys: [], homes: [], rules }) },
        measure: async (accountRegNo, isOpen) => {
          const usage = await measureHome(server.data, accountRegNo, isOpen);
          await walks();
          return usage;
        },
        clock,
      });
      return answering(limited, {
        open(...upload) {
          opens++;
          return limited.open(...upload);
        },
        commit(...upload) {
          commits++;
          return limited.commit(...upload);
        },
      });
    },
  });
  const sftp = await openSftp(await connect(server));
  return async (name, bytes) => {
    try {
      await called((done) => sftp.writeFile(`/inbox/${name}`, Buffer.alloc(bytes, 'x'), done));
      return 'taken';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
}

it('of files counts all that lies in the home, and deleting makes room at once', async () => {
  const put = await start({ homeFilesMax: 3 });
  server.place('receipts', 'old.json', '{}');
  expect(await put('a.xml', 1)).toBe('taken');
  expect(await put('b.xml', 1)).toBe('taken');
  expect(await put('c.xml', 1)).toBe(
    'the home is full: 3 of 3 files; delete what you have taken from outbox, receipts, accepted and refused, or ask the administrator for more room',
  );
  expect([server.committed().length, server.receiving()]).toEqual([2, []]);
  rmSync(join(server.home('receipts'), 'old.json'));
  expect(await put('c.xml', 1)).toBe('taken');
});

/** A file of which 300 bytes are written, into a home where 400 are left. */
async function writingWhereLittleFits() {
  await start({ homeBytesMax: 1_000 });
  server.place('outbox', 'old.xml', 'x'.repeat(600));
  const sftp = await openSftp(await connect(server));
  const handle = await called<Buffer>((done) => sftp.open('/inbox/a.xml', 'w', done));
  const write = (at: number): Promise<void> => called((done) => sftp.write(handle, Buffer.alloc(300), 0, 300, at, done));
  const close = (): Promise<void> => called((done) => sftp.close(handle, done));
  await write(0);
  return { write, close };
}

it('of bytes refuses what is written beyond it: there are clients that do not look at the answer to CLOSE', async () => {
  const { write, close } = await writingWhereLittleFits();
  await expect(write(300)).rejects.toThrow('the home is full: 600 of 1000 bytes, and this file has 600;');
  await expect(close()).rejects.toThrow('the home is full');
  expect([server.committed(), server.receiving()]).toEqual([[], []]);
});

it('of bytes takes what fits since something was deleted while it was written', async () => {
  const { write, close } = await writingWhereLittleFits();
  rmSync(join(server.home('outbox'), 'old.xml'));
  await Promise.all([write(300), write(600)]);
  await close();
  expect(server.committed().map(({ content }) => content.length)).toEqual([900]);
});

it('of bytes is looked at when the size is known; nothing is left of a file that does not fit', async () => {
  const put = await start({ homeBytesMax: 1_000 });
  expect(await put('a.xml', 600)).toBe('taken');
  expect(await put('b.xml', 600)).toContain('the home is full: 600 of 1000 bytes, and this file has 600;');
  expect([server.committed().length, server.receiving()]).toEqual([1, []]);
  expect(await put('b.xml', 400)).toBe('taken');
  expect(await put('c.xml', 0)).toContain('the home is full: 1000 of 1000 bytes;');
});

it('holds for uploads side by side', async () => {
  await start({ homeFilesMax: 5 });
  const sftp = await openSftp(await connect(server));
  const puts = Array.from({ length: 12 }, (_, n) => called((done: ssh2.Callback) => sftp.writeFile(`/inbox/${n}.xml`, 'x', done)));
  const ended = await Promise.allSettled(puts);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(server.committed()).toHaveLength(5);
});

it.each([[{ homeFilesMax: 5 }], [{ homeBytesMax: 5 }]])('holds for uploads that wait for one measurement: %o', async (rules) => {
  const measured = Promise.withResolvers<void>();
  await start(rules, { walks: () => measured.promise });
  const sessions: ssh2.SFTPWrapper[] = [];
  for (let n = 0; n < 12; n++) sessions.push(await openSftp(await connect(server)));
  const puts = sessions.map((sftp, n) => called((done: ssh2.Callback) => sftp.writeFile(`/inbox/${n}.xml`, 'x', done)));
  await until('all of them to wait for it', () => opens === 12);
  measured.resolve();
  const ended = await Promise.allSettled(puts);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(server.committed()).toHaveLength(5);
});

it('counts what fits and is still being taken, whenever it measures', async () => {
  const landed = Promise.withResolvers<void>();
  const clock = manualClock();
  await start({ homeFilesMax: 2 }, { clock, lands: () => landed.promise });
  const puts = async (...names: string[]): Promise<Promise<void>[]> => {
    const sftp = await openSftp(await connect(server));
    return names.map((name) => called((done: ssh2.Callback) => sftp.writeFile(`/inbox/${name}.xml`, 'x', done)));
  };
  const first = await puts('a', 'b');
  await until('both of them to be closed', () => commits === 2);
  // What was measured is too old to be believed.
  clock.advance(60_000);
  const more = await puts('c', 'd');
  await until('the next to be judged', () => opens === 3);
  landed.resolve();
  const ended = await Promise.allSettled([...first, ...more]);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
});

it.skipIf(!have('sftp'))('is told in a sentence that OpenSSH shows', async () => {
  await start({ homeFilesMax: 1 });
  server.place('outbox', 'a.xml', 'x');
  const { status, err } = await openSsh(server, [`put ${import.meta.filename} inbox/b.xml`], ['-b', '-']);
  expect({ status, err }).toMatchObject({ status: 1, err: expect.stringContaining('the home is full: 1 of 1 files') });
});
