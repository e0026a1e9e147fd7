// `dropgate apply` and `export`: what is declared is made once, and an export makes the same elsewhere.
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testSite } from '../../support/site.ts';
import { removeLedger } from '../../support/world/ledger-files.ts';

const site = testSite();
const { at, run } = site;

const DECLARATION = `
accounts:
  - {accountRegNo: "1", name: One, participants: ["0088:7300010000001"]}
  - {accountRegNo: "2", name: Two}
partners:
  - {partnerRegNo: firm, name: Firm, accounts: ["1", "2"]}
logins:
  - {login: one, homes: [{accountRegNo: "1"}], rules: {allow: [10.0.0.0/8], expires: 2027-03-31, sessionsMax: 2, charset: latin1}}
  - {login: firm, homes: [{accountRegNo: "1", folder: one-ab}, {accountRegNo: "2", folder: two-ab}]}
`;

it('makes what is not there, shows each key once, and changes nothing the second time', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, DECLARATION);
  const first = await run(`apply ${file} --json`);
  expect(first.err).toBe('');
  expect(JSON.parse(first.out).keys.map(Object.keys)).toEqual([
    ['accountRegNo', 'apiKey'],
    ['accountRegNo', 'apiKey'],
    ['partnerRegNo', 'apiKey'],
  ]);
  const exported = (await run('export')).out;
  expect(await run(`apply ${file}`)).toEqual({ status: 0, out: '', err: '' });
  expect((await run('export')).out).toBe(exported);
});

it('an export makes the same elsewhere', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, DECLARATION);
  await run(`apply ${file}`);
  await run('login set-password one --password-stdin', 'correct horse');
  const exported = (await run('export')).out;
  writeFileSync(file, exported);
  mkdirSync(at('other'));
  site.configure('', 'other');
  await run(`apply ${file}`);
  expect((await run('export')).out).toBe(exported);
});

it('tells every place that is wrong', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, 'accounts: [{accountRegNo: 1, nam: One}]\nfoo: 1\n');
  const { status, err } = await run(`apply ${file}`);
  expect(status).toBe(65);
  const places = [`${file}:1: /accounts/0/accountRegNo`, `${file}:1: /accounts/0 holds what is not known: nam`];
  for (const told of [...places, `${file}:2: the file holds what is not known: foo`]) expect(err).toContain(told);
});

it('refuses text that no ledger can keep', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, 'accounts: [{accountRegNo: "1", name: "A\\0B"}]\n');
  expect(await run(`apply ${file}`)).toMatchObject({ status: 65, err: expect.stringContaining('U+0000') });
});

it('tells the line of what is no YAML, and a file that is not there', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, 'accounts:\n  - {accountRegNo: "1"\nlogins: []\n');
  expect(await run(`apply ${file}`)).toMatchObject({ status: 65, err: expect.stringContaining(`${file}:3 is no YAML: `) });
  const missing = await run(`apply ${at('nowhere.yaml')}`);
  expect(missing).toMatchObject({ status: 66, err: expect.stringContaining('nowhere.yaml cannot be read: ENOENT') });
  expect((await run(`apply ${at()}`)).status).toBe(66);
});

it('tells all names that lead nowhere before anything is made', async () => {
  const file = at('accounts.yaml');
  const declare = (text: string): void => writeFileSync(file, text);
  declare(`
accounts:
  - {accountRegNo: "1", name: One}
partners:
  - {partnerRegNo: firm, name: Firm, login: firm, accounts: ["1", "7", {accountRegNo: "1", login: other}]}
logins:
  - {login: one, homes: [{accountRegNo: "1"}, {accountRegNo: "8", folder: eight}]}
`);
  const { status, out, err } = await run(`apply ${file}`);
  expect({ status, out }).toEqual({ status: 65, out: '' });
  for (const name of ['login firm', 'account 7', 'login other', 'account 8']) expect(err).toContain(`\n  ${name}, which`);
  expect(err).not.toContain('account 1');
  expect((await run('account list')).out).toBe('');

  await run('login add firm --password-stdin', 'correct horse');
  declare('accounts: [{accountRegNo: "1", name: One}]\npartners: [{partnerRegNo: firm, name: Firm, login: firm, accounts: ["1"]}]\n');
  expect(await run(`apply ${file}`)).toMatchObject({ status: 0, err: '' });
  // What is there need not be declared again; a partner's home is one, too.
  declare(`
accounts: [{accountRegNo: "2", name: Two}]
partners: [{partnerRegNo: pool, name: Pool, consolidated: true, accounts: ["2"]}]
logins: [{login: two, homes: [{accountRegNo: "1", folder: one}, {accountRegNo: pool, folder: pool}]}]
`);
  expect(await run(`apply ${file}`)).toMatchObject({ status: 0, err: '' });
});

it('apply says what it made, beside the keys; where all is there it says nothing', async () => {
  writeFileSync(site.at('some.yaml'), 'accounts: [{accountRegNo: "1", name: One}]\nlogins: [{login: one, homes: [{accountRegNo: "1"}]}]');
  const line = `apply ${site.at('some.yaml')}`;
  const made = (names: string): string => `Made in ${site.at('data')}: ${names}.`;
  const all = 'account 1, home of 1, login one, sight of 1 for login one';
  expect((await site.run(line)).out.split('\n')).toEqual([expect.stringMatching(/^1\tdg_test_/), made(all)]);
  expect(await site.run(line)).toEqual({ status: 0, out: '', err: '' });
  // The gateway's ledger is lost, the core's is not: nothing that has a key is made again.
  removeLedger(site.at('data'));
  expect(await site.run(line)).toEqual({ status: 0, out: made(all.replace('account 1, ', '')), err: '' });
});

it('keys that were made before something failed are shown, with what failed; its status is that of the failure', async () => {
  const file = at('accounts.yaml');
  writeFileSync(file, 'accounts:\n  - {accountRegNo: "1", name: One}\n  - {accountRegNo: "..", name: Two}\n');
  const { status, out, err } = await run(`apply ${file}`);
  expect([status, out.split('\n'), err]).toEqual([
    64,
    [expect.stringMatching(/^1\tdg_test_/), `Made in ${at('data')}: account 1.`],
    expect.stringContaining('is not allowed'),
  ]);
});

it('what apply has made is written down by the names that the file declares', async () => {
  writeFileSync(at('accounts.yaml'), DECLARATION);
  await run(`apply ${at('accounts.yaml')}`);
  const { what, after } = JSON.parse((await run('audit list --json')).out);
  expect([what, Object.keys(after)]).toEqual(['apply', expect.arrayContaining(['account 1', 'account 2', 'partner firm', 'login one'])]);
});
