// Which installation a command works on: the one that a configuration names, or none. Nothing is invented, and answers say where they come from.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../../support/program.ts';

const MAKERS = "'dropgate serve', 'account add', 'partner add' and 'apply' make them.";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'dropgate-where-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** As a shell runs it, in the folder. */
function dropgate(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', timeout: 60_000 });
  return { status, out: stdout, err: stderr };
}

// With a file in /etc every command has a configuration.
describe.skipIf(existsSync('/etc/dropgate/dropgate.yaml'))('without a configuration file', () => {
  it.each([
    ['account', 'list'],
    ['account', 'add', '5567321707', '--name', 'Acme AB'],
    ['partner', 'add', '5569999999', '--name', 'Firm AB'],
    ['login', 'list'],
    ['items'],
    ['export'],
    ['health'],
    ['recover'],
    ['host-key', 'list'],
    ['check-config'],
  ])('%s %s makes nothing, and says where it looked', (...args) => {
    const { status, out, err } = dropgate(...args);
    expect({ status, out }).toEqual({ status: 64, out: '' });
    const looked = [join(folder, 'dropgate.yaml'), '/etc/dropgate/dropgate.yaml', join(folder, 'config/dropgate.yaml')];
    expect(err).toBe(
      `dropgate: There is no configuration file: looked for ${looked.join(', ')}. Name it by --config; 'dropgate init DIR' writes one to start from.\n`,
    );
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('with a configuration file', () => {
  beforeEach(() => writeFileSync(join(folder, 'dropgate.yaml'), 'role: all\ndata: here\n'));

  it.each([['account', 'list'], ['login', 'list'], ['items'], ['export'], ['recover'], ['host-key', 'list'], ['account', 'disable', 'x']])(
    '%s %s makes no data folder',
    (...args) => {
      const { status, out, err } = dropgate(...args);
      expect({ status, out }).toEqual({ status: 64, out: '' });
      expect(err).toBe(
        `dropgate: There are no ledgers in ${join(folder, 'here')}, the data folder that ${join(folder, 'dropgate.yaml')} names: ${MAKERS}\n`,
      );
      expect(existsSync(join(folder, 'here'))).toBe(false);
    },
  );

  it('account add makes it, and says where; a list of nothing does, too', () => {
    const added = dropgate('account', 'add', '5567321707', '--name', 'Acme AB', '--participant', '0007:5567321707');
    expect(added).toMatchObject({ status: 0, out: expect.stringContaining(`was added (in ${join(folder, 'here')}).`) });
    expect(dropgate('login', 'list')).toEqual({ status: 0, out: '', err: `There are no logins in ${join(folder, 'here')}.\n` });
    expect(dropgate('account', 'list')).toMatchObject({ status: 0, out: expect.stringMatching(/^5567321707\t/), err: '' });
  });

  it.each([
    ['partner', 'add', '5569999999', '--name', 'Firm AB'],
    ['apply', 'declared.yaml'],
  ])('%s makes it', (...args) => {
    writeFileSync(join(folder, 'declared.yaml'), 'accounts:\n  - {accountRegNo: "5567321707", name: Acme AB}\n');
    expect(dropgate(...args)).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'here', 'core.db'))).toBe(true);
  });

  it('health names the address that did not answer', () => {
    writeFileSync(join(folder, 'dropgate.yaml'), 'data: here\nsftp: {listen: "127.0.0.1:1"}\n');
    const { status, err } = dropgate('health');
    expect({ status, err }).toEqual({ status: 70, err: expect.stringContaining('SFTP on 127.0.0.1:1 (connect ECONNREFUSED') });
  });
});

it.runIf(process.platform === 'linux')('a folder that no file system takes is refused, not tried for ever', () => {
  expect(dropgate('init', '/proc/x')).toMatchObject({
    status: 64,
    err: expect.stringContaining('/proc/x/dropgate.yaml cannot be written'),
  });
});
