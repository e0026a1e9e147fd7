import { exec, execFileSync } from 'node:child_process';
import { close, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { inFolder, inFolderIfThere } from '#runtime/files/safe-folder.ts';

describe('inFolder', () => {
  let root: string;
  let home: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dropgate-safe-'));
    home = join(root, 'home');
    mkdirSync(join(home, 'outbox'), { recursive: true });
    writeFileSync(join(home, 'outbox', 'a.xml'), 'a');
    writeFileSync(join(root, 'secret'), 'secret');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const code = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (result) => result,
      (error: { code: string }) => error.code,
    );
  const outbox = <Result>(use: Parameters<typeof inFolder<Result>>[2]) => inFolder(home, ['outbox'], use);

  it('lists, stats, reads, renames and removes files', async () => {
    expect(await outbox((folder) => folder.list())).toEqual(['a.xml']);
    expect(await outbox((folder) => folder.stat('a.xml'))).toMatchObject({ size: 1 });
    const { descriptor } = await outbox((folder) => folder.open('a.xml'));
    expect(readFileSync(descriptor, 'utf8')).toBe('a');
    close(descriptor);
    await outbox((folder) => folder.rename('a.xml', 'b.xml'));
    await outbox((folder) => folder.remove('b.xml'));
    expect(await outbox((folder) => folder.list())).toEqual([]);
  });

  it('leaves a file as it is where a look right before says so', async () => {
    const lost = (): never => {
      throw new AppError('locked', 'This node has lost its homes.');
    };
    expect(await code(outbox((folder) => folder.rename('a.xml', 'b.xml', lost)))).toBe('locked');
    expect(await code(outbox((folder) => folder.remove('a.xml', lost)))).toBe('locked');
    expect(await outbox((folder) => folder.list())).toEqual(['a.xml']);
  });

  it('keeps the bytes of names', async () => {
    const name = Buffer.from('caf\xe9.xml', 'latin1');
    writeFileSync(Buffer.concat([Buffer.from(`${home}/outbox/`), name]), 'x');
    expect(await outbox((folder) => folder.list())).toContain('caf\xe9.xml');
    expect(await outbox((folder) => folder.stat('caf\xe9.xml'))).toMatchObject({ size: 1 });
  });

  it('says what is missing', async () => {
    expect(await code(outbox((folder) => folder.open('none')))).toBe('missing');
    expect(await code(outbox((folder) => folder.remove('none')))).toBe('missing');
    expect(await outbox((folder) => folder.stat('none'))).toBeNull();
    expect(await code(inFolder(home, ['none'], (folder) => folder.list()))).toBe('missing');
  });

  it('where that is expected, null stands for no folder, and for a link or a file in its place', async () => {
    symlinkSync(join(home, 'outbox'), join(home, 'link'));
    const names = (folder: string) => inFolderIfThere(home, [folder], (held) => held.list());
    expect([await names('none'), await names('link'), await names('outbox')]).toEqual([null, null, ['a.xml']]);
    expect(await inFolderIfThere(home, ['outbox', 'a.xml'], (held) => held.list())).toBeNull();
    const failing = inFolderIfThere(home, ['outbox'], () => Promise.reject(new AppError('storage', 'the disk refused')));
    expect(await code(failing)).toBe('storage');
  });

  it.each([
    '',
    '.',
    '..',
    '/',
    '../secret',
    '../../secret',
    'a/../../secret',
    'a.xml/',
    '/etc/passwd',
    './a.xml',
    'a\0',
    'a.xml\0.txt',
    'x'.repeat(256),
  ])('refuses the name %j everywhere', async (name) => {
    expect(await outbox((folder) => folder.stat(name))).toBeNull();
    expect(await code(outbox((folder) => folder.open(name)))).toBe('name');
    expect(await code(outbox((folder) => folder.remove(name)))).toBe('name');
    expect(await code(outbox((folder) => folder.rename(name, 'b')))).toBe('name');
    expect(await code(outbox((folder) => folder.rename('a.xml', name)))).toBe('name');
    expect(await code(inFolder(home, [name], (folder) => folder.list()))).toBe('name');
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('secret');
    expect(existsSync(join(home, 'outbox', 'a.xml'))).toBe(true);
  });

  it.each([
    '\\',
    '..\\secret',
    '%2e%2e',
    '%2e%2e%2fsecret',
    '\u2024\u2024',
    '...',
    '~',
    '$HOME',
    '`id`',
    'C:',
    'CON',
    '-rf',
    ' ',
    '\n',
    '\x7f',
    '\xff',
  ])('takes the name %j literally', async (name) => {
    const bytes = Buffer.from(name).toString('latin1');
    await outbox((folder) => folder.rename('a.xml', bytes));
    expect(await outbox((folder) => folder.list())).toEqual([bytes]);
  });

  it('follows no link, to a file or as a folder', async () => {
    symlinkSync('../../secret', join(home, 'outbox', 'link'));
    symlinkSync('a.xml', join(home, 'outbox', 'near'));
    symlinkSync('..', join(home, 'folder-link'));
    symlinkSync('/', join(home, 'outbox', 'top'));
    for (const name of ['link', 'near', 'top']) {
      expect(await outbox((folder) => folder.stat(name))).toBeNull();
      expect(await code(outbox((folder) => folder.open(name)))).toBe('name');
      expect(await code(outbox((folder) => folder.rename(name, 'b')))).toBe('name');
      expect(await code(outbox((folder) => folder.remove(name)))).toBe('name');
    }
    expect(await code(inFolder(home, ['folder-link'], (folder) => folder.list()))).toBe('name');
    expect(await code(inFolder(home, ['outbox', 'top'], (folder) => folder.list()))).toBe('name');
  });

  it('refuses folders, FIFOs and files with a second name, without waiting', async () => {
    mkdirSync(join(home, 'outbox', 'folder'));
    execFileSync('mkfifo', [join(home, 'outbox', 'fifo')]);
    linkSync(join(root, 'secret'), join(home, 'outbox', 'second-name'));
    for (const name of ['folder', 'fifo', 'second-name']) {
      expect(await outbox((folder) => folder.stat(name))).toBeNull();
      expect(await code(outbox((folder) => folder.open(name)))).toBe('name');
      expect(await code(outbox((folder) => folder.remove(name)))).toBe('name');
    }
  });

  it('refuses names that the system gives to what is gone', async () => {
    writeFileSync(join(home, 'outbox', 'a.xml (deleted)'), 'x');
    expect(await code(outbox((folder) => folder.open('a.xml (deleted)')))).toBe('name');
    expect(await outbox((folder) => folder.stat('a.xml (deleted)'))).toMatchObject({ size: 1 });
  });

  it('never reads outside while a folder and a link are swapped under it', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.xml'), 'secret');
    const flip = `cd ${home} && i=0; while [ $i -lt 400 ]; do mv outbox real && ln -s ${outside} outbox && rm outbox && mv real outbox; i=$((i+1)); done`;
    let done = false;
    exec(flip, () => {
      done = true;
    });
    const seen = new Set<unknown>();
    while (!done) {
      const result = await code(outbox((folder) => folder.open('a.xml')));
      if (typeof result === 'object' && result !== null && 'descriptor' in result && typeof result.descriptor === 'number') {
        seen.add(readFileSync(result.descriptor, 'utf8'));
        close(result.descriptor);
      } else seen.add(result);
    }
    seen.delete('missing');
    seen.delete('name');
    expect([...seen]).toEqual(['a']);
  });
});
