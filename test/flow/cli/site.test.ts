// A site from the command line: its configuration is begun and checked, and its ledgers and spool are brought together.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testSite } from '../../support/site.ts';
import { command } from '../../support/terminal.ts';

const site = testSite();
const { at, run } = site;

it('init writes a configuration to start from, once', async () => {
  const { status } = await command(['init', at('site')]);
  expect(status).toBe(0);
  const checked = await command(['check-config', '--config', at('site/dropgate.yaml')]);
  expect(checked.out).toContain(`data: ${at('site/data')}`);
  expect((await command(['init', at('site')])).status).toBe(73);
});

it('a folder that cannot be used is told in a sentence, with status 64', async () => {
  const file = at('file');
  writeFileSync(file, '');
  writeFileSync(site.config, `data: ${file}\n`);
  expect(await run('account list')).toMatchObject({ status: 64, err: expect.stringContaining(`The data folder ${file} cannot be used`) });
  expect(await command(['init', join(file, 'site')])).toMatchObject({ status: 64, err: expect.stringContaining('choose a folder') });
});

it('prints its version', async () => {
  expect(await command(['--version'])).toMatchObject({ status: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

it('check-config tells every problem', async () => {
  writeFileSync(site.config, 'rol: all\nsftp: {idle: 5}\n');
  const { status, err } = await run('check-config');
  expect(status).toBe(64);
  expect(err).toContain("line 1: rol is not known; did you mean 'role'?");
  expect(err).toContain('line 2: sftp.idle must be a duration');
});

it('recover brings ledger and spool together', async () => {
  await run('account add 1 --name One --login one');
  expect((await run('recover')).out).toContain('0 files of the spool were adopted');
});
