// What else has a name in an inbox: each is told of once, harms no other file, and keeps nobody busy.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { invoice } from '../../../support/documents.ts';
import { type DropStage, type DropStageOptions, startDropStage } from '../../../support/drop.ts';
import { needed } from '../../../support/needed.ts';

/** As /dev/full; only root may make one. */
const devices: [string, (at: string) => void][] = needed('root', process.getuid?.() === 0, 'run the tests as root')
  ? [['a device', (at) => void execFileSync('mknod', [at, 'c', '1', '7'])]]
  : [];

const WHOLE = Buffer.from(invoice());
const MINUTE = 60_000;

let stage: DropStage;
let server: Server | undefined;
afterEach(async () => {
  server?.close();
  server = undefined;
  await stage[Symbol.asyncDispose]();
});
const begin = (options?: DropStageOptions): void => {
  stage = startDropStage(options);
};
const names = (): string[] => stage.taken.map(({ name }) => name);
const path = (bytes: string): Buffer => Buffer.from(stage.inbox(bytes), 'latin1');

function listen(at: string): void {
  server = createServer().listen(at);
}

describe('in an inbox', () => {
  it.each<[string, (at: string) => void]>([
    ['a symbolic link', (at) => symlinkSync('/etc/hostname', at)],
    ['a broken link', (at) => symlinkSync('nowhere', at)],
    ['a folder', (at) => mkdirSync(join(at, 'deep'), { recursive: true })],
    ['a FIFO', (at) => void execFileSync('mkfifo', [at])],
    ['a socket', listen],
    ...devices,
    ['a hard link', (at) => linkSync(join(at, '..', '..', 'elsewhere'), at)],
  ])('%s is told of once, and left alone; the files beside it are taken', async (_, make) => {
    begin();
    writeFileSync(stage.inbox('../elsewhere'), WHOLE);
    make(stage.inbox('strange.xml'));
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.passing('the take', () => names().length > 0);
    await stage.pass(20 * MINUTE);
    expect(names()).toEqual(['a.xml']);
    expect(stage.logged('watch.ignored')).toBe(1);
    expect(stage.log.filter((line) => line.includes('strange.xml'))).toHaveLength(1);
  });

  it('a file whose second name has gone is taken: some programs rename by link and unlink', async () => {
    begin();
    writeFileSync(stage.inbox('../elsewhere'), WHOLE);
    linkSync(stage.inbox('../elsewhere'), stage.inbox('a.xml'));
    await stage.pass(MINUTE);
    expect(names()).toEqual([]);
    rmSync(stage.inbox('../elsewhere'));
    await stage.passing('the take', () => names().includes('a.xml'));
  });

  it('a link that becomes a file is taken', async () => {
    begin();
    symlinkSync('nowhere', stage.inbox('a.xml'));
    await stage.pass(MINUTE);
    rmSync(stage.inbox('a.xml'));
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.passing('the take', () => names().includes('a.xml'));
  });

  it.each([
    ['Latin-1', 'M\xfcller.xml'],
    ['a line feed', 'a\nb.xml'],
    ['quotes and a backslash', `a"b'\\c.xml`],
    ['255 bytes', `${'x'.repeat(251)}.xml`],
    ['a leading hyphen', '-rf.xml'],
    ['nothing but a letter', 'a'],
    ['bytes that are no UTF-8', '\xff\xfe\x80.xml'],
  ])('a name with %s is handed on byte by byte', async (_, name) => {
    begin();
    writeFileSync(path(name), WHOLE);
    await stage.passing('the take', () => names().length > 0);
    expect(names()).toEqual([name]);
  });

  it('a file that goes between two looks is forgotten', async () => {
    begin();
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.pass(3_000);
    rmSync(stage.inbox('a.xml'));
    writeFileSync(stage.inbox('b.xml'), WHOLE);
    await stage.passing('the take', () => names().length > 0);
    expect([names(), stage.log]).toEqual([['b.xml'], []]);
  });

  it('a file that goes between look and take is forgotten', async () => {
    begin({ beforeTake: ({ name }, at) => (name === 'a.xml' ? rmSync(at) : undefined) });
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    writeFileSync(stage.inbox('b.xml'), WHOLE);
    await stage.passing('the take', () => names().length > 0);
    await stage.pass(MINUTE);
    expect([names(), stage.log]).toEqual([['b.xml'], []]);
  });

  it('a file that cannot be taken is told of once, and tried again every five minutes', async () => {
    let tries = 0;
    begin({
      beforeTake({ name }) {
        if (name === 'a.xml') tries++;
        if (name === 'a.xml' && tries < 4) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      },
    });
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    writeFileSync(stage.inbox('b.xml'), WHOLE);
    await stage.pass(4 * MINUTE);
    expect([names(), tries]).toEqual([['b.xml'], 1]);
    await stage.pass(17 * MINUTE);
    expect([names(), tries, stage.logged('watch.take-failed')]).toEqual([['b.xml', 'a.xml'], 4, 1]);
  });

  it('a hundred files that cannot be taken are given up for a minute after ten', async () => {
    const tried = new Set<string>();
    begin({
      beforeTake({ name }) {
        tried.add(name);
        throw new AppError('storage', 'the disk is full');
      },
    });
    for (let n = 0; n < 100; n++) writeFileSync(stage.inbox(`${n}.xml`), WHOLE);
    await stage.passing('the first tries', () => tried.size > 0);
    // Each change that is reported late, on a busy machine, begins as many tries.
    await stage.pass(10_000);
    const { size: first } = tried;
    expect(first).toBeLessThan(100);
    await stage.pass(30_000);
    expect(tried.size).toBe(first);
    await stage.pass(3 * MINUTE);
    expect(tried.size).toBeGreaterThan(first);
    expect(stage.logged('watch.take-failed')).toBe(tried.size);
  });
});

it('a home that is full is told of once, waits, and is taken when there is room; others are not held up', async () => {
  let room = 3;
  begin({
    homes: ['full-ab', 'other-ab'],
    beforeTake({ home }) {
      if (home === 'full-ab' && room-- <= 0) throw new AppError('quota', 'inbox is full');
    },
  });
  for (let n = 0; n < 40; n++) writeFileSync(stage.inbox(`${n}.xml`, 'full-ab'), WHOLE);
  writeFileSync(stage.inbox('a.xml', 'other-ab'), WHOLE);
  await stage.passing('the other take', () => stage.taken.some(({ home }) => home === 'other-ab'));
  await stage.pass(10 * MINUTE);
  expect(stage.taken).toHaveLength(4);
  expect(stage.logged('watch.full')).toBe(1);
  room = 100;
  await stage.passing('all', () => stage.taken.length === 41);
  expect(stage.logged('watch.full')).toBe(1);
});

it('a folder inside the inbox that is swapped for a link to somebody else is not followed', async () => {
  begin({ homes: ['mallory-ab', 'victim-ab'] });
  mkdirSync(stage.inbox('../outbox', 'victim-ab'));
  writeFileSync(stage.inbox('../outbox/secret.xml', 'victim-ab'), WHOLE);
  renameSync(stage.inbox('overwrite', 'mallory-ab'), stage.inbox('../away', 'mallory-ab'));
  symlinkSync(stage.inbox('../outbox', 'victim-ab'), stage.inbox('overwrite', 'mallory-ab'));
  writeFileSync(stage.inbox('a.xml', 'mallory-ab'), WHOLE);
  await stage.passing('the take', () => names().length > 0);
  await stage.pass(12 * MINUTE);
  expect(names()).toEqual(['a.xml']);
  expect(readdirSync(stage.inbox('../outbox', 'victim-ab'))).toEqual(['secret.xml']);
  expect(stage.logged('watch.failed')).toBe(1);
});

it('a home that is swapped for a link to a folder elsewhere is not followed', async () => {
  begin({ homes: ['mallory-ab', 'victim-ab'] });
  await stage.pass(MINUTE);
  const home = stage.inbox('..', 'mallory-ab');
  renameSync(home, `${home}-away`);
  mkdirSync(`${home}-elsewhere/inbox/overwrite`, { recursive: true });
  writeFileSync(`${home}-elsewhere/inbox/secret.xml`, WHOLE);
  symlinkSync(`${home}-elsewhere`, home);
  writeFileSync(stage.inbox('a.xml', 'victim-ab'), WHOLE);
  await stage.passing('the take', () => names().length > 0);
  await stage.pass(12 * MINUTE);
  expect(names()).toEqual(['a.xml']);
  expect(readdirSync(`${home}-elsewhere/inbox`).toSorted()).toEqual(['overwrite', 'secret.xml']);
  expect(stage.logged('watch.failed')).toBeGreaterThan(0);
});
