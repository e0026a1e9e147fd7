// A data folder that belongs to another user than root: root's commands leave no file of root's in it, and what is root's in it all the same is told of
// with whose it is and what to do.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needed } from '../../support/needed.ts';
import { MAIN } from '../../support/program.ts';
import { run } from '../../support/sftp-clients.ts';

const NOBODY = 65_534;

let [folder, data, config] = ['', '', ''];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-owner-'));
  [data, config] = [join(folder, 'data'), join(folder, 'dropgate.yaml')];
  chmodSync(folder, 0o755);
  mkdirSync(data);
  chownSync(data, NOBODY, NOBODY);
  writeFileSync(config, `data: ${data}\nsftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const dropgate = (...args: string[]) => run(process.execPath, [MAIN, ...args, '--config', config]);

describe.skipIf(!needed('root', process.getuid?.() === 0, 'run the tests as root'))('of another user than root', () => {
  it('a command of root works as the owner of the data folder', async () => {
    const { status, err } = await dropgate('account', 'add', '1', '--login', 'one');
    expect([status, err]).toEqual([0, '']);
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(files).toContain('gateway.db');
    for (const file of files) expect([file, statSync(join(data, file)).uid]).toEqual([file, NOBODY]);
  });

  it.each([
    ['folder', 'spool'],
    ['folder', 'homes'],
    ['file', 'gateway.db'],
  ])('a %s of root (%s) keeps the daemon from its start, as check-config and doctor foretell', async (kind, name) => {
    const path = join(data, name);
    if (kind === 'folder') mkdirSync(path);
    else writeFileSync(path, '');
    const told = new RegExp(`The ${kind} ${path} belongs to root, and nobody may not use it: chown -R nobody ${path}`);
    const [checked, examined, served] = await Promise.all([dropgate('check-config'), dropgate('doctor'), dropgate('serve')]);
    expect(checked).toMatchObject({ status: 64, err: expect.stringMatching(told) });
    expect(checked.out).not.toContain('# OK');
    expect(examined).toMatchObject({ status: 1, out: expect.stringMatching(told) });
    // A status after which systemd does not start it again.
    expect(served).toMatchObject({ status: 64, err: expect.stringMatching(told) });
  });

  it('so does a folder further down', async () => {
    await dropgate('account', 'add', '1', '--login', 'one');
    const path = join(data, 'spool', '1');
    chownSync(path, 0, 0);
    chmodSync(path, 0o700);
    const { status, err } = await dropgate('serve');
    expect([status, err]).toEqual([64, expect.stringContaining(`The folder ${path} belongs to root, and nobody may not`)]);
  });

  it.each(['keys', 'keys/secret.key'])('where %s is of root no command says that the key is lost', async (name) => {
    await dropgate('account', 'add', '1', '--login', 'one');
    const path = join(data, name);
    chownSync(path, 0, 0);
    chmodSync(path, 0o700);
    const told = new RegExp(`The (file|folder) ${path} belongs to root, and nobody may not \\w+ it: chown (-R )?nobody ${path}`);
    // One after the other: some of them lock the data folder.
    for (const line of ['serve', 'check-config', 'audit verify', 'recover --new-key', 'account disable 1']) {
      const { status, err } = await dropgate(...line.split(' '));
      expect([line, status, err]).toEqual([line, 64, expect.stringMatching(told)]);
      expect(err).not.toContain('--new-key');
    }
    expect((await dropgate('doctor')).out).toMatch(told);
  });

  it('keys that it may read and not change, as they are handed to a container, are enough', async () => {
    await dropgate('account', 'add', '1', '--login', 'one');
    chownSync(join(data, 'keys'), 0, 0);
    chmodSync(join(data, 'keys'), 0o755);
    expect(await dropgate('check-config')).toMatchObject({ status: 0, out: expect.stringContaining('# OK') });
  });
});
