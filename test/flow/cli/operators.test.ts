// `dropgate operator`: who may log in to the page; each change is written down, and none tells a password.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testSite } from '../../support/site.ts';

const site = testSite();
const trail = (): string => readFileSync(site.at('data', 'audit', '0000000001.jsonl'), 'utf8');
const acts = (): Record<string, unknown>[] =>
  trail()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('dropgate operator', () => {
  it('adds one that may look, with a password that is shown once', async () => {
    const added = await site.run('operator add anna');
    expect(added).toMatchObject({ status: 0, err: '' });
    expect(added.out).toMatch(
      /^Operator anna may log in to the page, with the role look \(in .*\)\.\nThe password, shown once: [a-z0-9]{24}$/,
    );
    expect((await site.run('operator list')).out).toMatch(/^anna\tactive\tlook\t\d{4}-/);
  });

  it('changes role and password, disables, enables and removes, and writes each down without the password', async () => {
    await site.run('operator add anna --role look --password-stdin', 'a long enough password 1');
    await site.run('operator set anna --role act');
    await site.run('operator set-password anna --password-stdin', 'another long password 2');
    expect((await site.run('operator disable anna')).status).toBe(0);
    expect((await site.run('operator list')).out).toMatch(/^anna\tdisabled\tact/);
    await site.run('operator enable anna');
    await site.run('operator remove anna');
    expect((await site.run('operator list')).out).toBe('');
    expect(acts().map(({ what }) => what)).toEqual([
      'operator add',
      'operator set',
      'operator set-password',
      'operator disable',
      'operator enable',
      'operator remove',
    ]);
    expect(acts()[1]).toMatchObject({
      before: { 'operator anna': { role: 'look' } },
      after: { 'operator anna': { role: 'act' } },
    });
    expect(trail()).not.toMatch(/long enough password|another long password|argon2|stamp/);
  });

  it('refuses a second one of the name, a short password, a role that is none, and what is not there', async () => {
    await site.run('operator add anna');
    expect(await site.run('operator add anna')).toMatchObject({ status: 73, err: expect.stringContaining('is there already') });
    expect(await site.run('operator add ben --password-stdin', 'short')).toMatchObject({ status: 64 });
    expect(await site.run('operator add ben --role root')).toMatchObject({ status: 64 });
    expect(await site.run('operator add <b>')).toMatchObject({ status: 64, err: expect.stringContaining('is not allowed') });
    for (const command of ['set ben --role act', 'set-password ben', 'disable ben', 'enable ben', 'remove ben']) {
      expect(await site.run(`operator ${command}`)).toMatchObject({ status: 66, err: expect.stringContaining('There is no operator ben') });
    }
    expect((await site.run('operator list')).out).toMatch(/^anna\t[^\n]*$/);
  });
});

describe('a core without a gateway', () => {
  it('has no operators', async () => {
    site.configure('role: core');
    expect(await site.run('operator add anna')).toMatchObject({ status: 64, err: expect.stringContaining('a core without a gateway') });
  });
});
