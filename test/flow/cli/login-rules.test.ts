// The rules of a login by command: set, shown, taken back, declared.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { ed25519Pair } from '../../support/keys.ts';
import { testSite } from '../../support/site.ts';

const { at, run, soon } = testSite();
beforeEach(() => writeFileSync(at('key.pub'), `${ed25519Pair().public}\n`));

const listed = async (): Promise<string> => (await run('login list')).out;

const ALL =
  '--allow 10.0.0.0/8,192.0.2.7 --methods password --expires 2027-03-31 --sessions 2 --access read-only --removal say --answers status,test --home-bytes 2GB --home-files 500 --charset latin1';
const SHOWN =
  'allow=10.0.0.0/8,192.0.2.7 methods=password expires=2027-03-31 sessions=2 access=read-only removal=say answers=test,status home-bytes=2000000000 home-files=500 charset=latin1';

it('are set when a login is added, changed one by one, and taken back', async () => {
  expect(await run(`login add erp ${ALL}`)).toMatchObject({ status: 0 });
  expect(await listed()).toBe(`erp\tactive\tpassword\t\t${SHOWN}`);
  expect(await run('login change erp --sessions 5 --access full')).toEqual({
    status: 0,
    out: soon('Login erp was changed'),
    err: '',
  });
  expect(await listed()).toBe(`erp\tactive\tpassword\t\t${SHOWN.replace('sessions=2 access=read-only', 'sessions=5')}`);
  const back =
    '--allow any --methods any --expires never --sessions default --removal hide --answers none --home-bytes unlimited --home-files unlimited --charset auto';
  expect(await run(`login change erp ${back}`)).toMatchObject({ status: 0 });
  expect(await listed()).toBe('erp\tactive\tpassword\t');
});

it('are in the JSON of the list, as export writes and apply reads them', async () => {
  const rules = {
    allow: ['10.0.0.0/8', '192.0.2.7'],
    methods: 'password',
    expires: '2027-03-31',
    sessionsMax: 2,
    readOnly: true,
    homeBytesMax: 2e9,
    removal: 'say',
    answers: ['test', 'status'],
    homeFilesMax: 500,
    charset: 'latin1',
  };
  await run(`login add erp ${ALL}`);
  expect(JSON.parse((await run('login list --json')).out)).toMatchObject({ login: 'erp', rules });
  await run('login change erp --layout like=to-from-peppol-rcpt,inbox=UT');
  expect(await listed()).toContain('layout=like=to-from-peppol-rcpt,inbox=UT');
  const exported = (await run('export')).out;
  writeFileSync(at('accounts.yaml'), exported);
  await run('login change erp --sessions default --allow any');
  expect(await run(`apply ${at('accounts.yaml')}`)).toEqual({ status: 0, out: '', err: '' });
  expect((await run('export')).out).toBe(exported);
});

it('for both proofs make up a password beside the key', async () => {
  const { status, out } = await run(`login add erp --methods both --public-key ${at('key.pub')} --json`);
  expect([status, JSON.parse(out)]).toEqual([0, { login: 'erp', password: expect.any(String) }]);
  expect(await listed()).toBe('erp\tactive\tpassword+1 key\t\tmethods=both');
});

it.each([
  ['login add new --allow 10.0.0', 64, "'10.0.0' is no address or network: write 10.0.0.5 or 10.1.0.0/16"],
  ['login add new --methods fingerprint', 64, '--methods must be one of key, password, both'],
  ['login add new --expires tomorrow', 64, "'tomorrow' is no day: write it as 2027-03-31"],
  ['login add new --expires 2027-02-30', 64, 'is no day'],
  ['login add new --sessions 0', 64, '--sessions must be between 1 and 100000'],
  ['login add new --home-bytes much', 64, '--home-bytes must be a size such as'],
  ['login add new --charset ebcdic', 64, '--charset must be one of utf-8'],
  ['login add new --answers test,mail', 64, "--answers must be some of test, lookup, status, answer, not 'test,mail'"],
  ['login add new --methods key', 64, 'needs a key for that'],
  ['login change erp --methods both', 64, 'needs a key for that'],
  ['login change erp', 64, 'Say what to change'],
  ['login change nobody --sessions 1', 66, 'There is no login nobody'],
])('%s → %i', async (line, status, sentence) => {
  await run('login add erp');
  expect(await run(line)).toMatchObject({ status, err: expect.stringContaining(sentence) });
  expect(await listed()).toBe('erp\tactive\tpassword\t');
});

it('a key can be taken away, by the line that holds it, whatever its comment', async () => {
  const file = at('key.pub');
  await run(`login add erp --public-key ${file}`);
  writeFileSync(file, `${readFileSync(file, 'utf8').trim()} another comment\n`);
  expect(await run(`login remove-key erp ${file}`)).toEqual({
    status: 0,
    out: soon(`Login erp may no longer use the key of ${file}`),
    err: '',
  });
  expect(await listed()).toBe('erp\tactive\t\t');
  expect(await run(`login remove-key erp ${file}`)).toMatchObject({ status: 66, err: expect.stringContaining('has no such key') });
});

it('a declaration with rules that are none is refused with its place', async () => {
  writeFileSync(at('accounts.yaml'), 'logins: [{login: erp, rules: {methods: any, sesions: 2}}]\n');
  const { status, err } = await run(`apply ${at('accounts.yaml')}`);
  expect(status).toBe(65);
  for (const told of ['/logins/0/rules/methods', '/logins/0/rules holds what is not known: sesions']) expect(err).toContain(told);
});

it('a layout has a name, or gives the folders theirs; names that are not safe, or that two would have, are refused', async () => {
  expect(await run('login add erp --layout flat')).toMatchObject({ status: 0 });
  expect(await listed()).toContain('layout=flat');
  expect((await run(`connection-kit erp --out ${at('kit')}`)).status).toBe(0);
  const readme = readFileSync(at('kit/README.txt'), 'utf8');
  for (const told of ['/send             ', '/send/overwrite', '/                 Documents', 'Put the file into /send.'])
    expect(readme).toContain(told);
  expect(readme).not.toMatch(/inbox|\/outbox +Doc/);
  await run('login change erp --layout inbox=UT,outbox=.');
  expect(await listed()).toContain('layout=inbox=UT,outbox=.');
  const exported = (await run('export')).out;
  writeFileSync(at('accounts.yaml'), exported);
  await run('login change erp --layout inbox=send/now,outbox=.');
  expect(await listed()).toContain('layout=inbox=send/now,outbox=.');
  await run('login change erp --layout standard');
  expect(await listed()).not.toContain('layout');
  await run(`apply ${at('accounts.yaml')}`);
  expect((await run('export')).out).toBe(exported);
  for (const [layout, sentence] of [
    ['round', 'must be to-from-peppol, to-from-peppol-rcpt, flat, out-in, out-in-sent-failed, incoming-outgoing-kinds,'],
    ['like=round', 'must be'],
    ['like=flat,outbox=send', "inbox and outbox cannot both be 'send'"],
    ['inbox', 'must be'],
    ['inbox=a=b', 'must be'],
    ['spool=a', 'must be'],
    ['inbox=.', 'Only the outbox may stand at the top'],
    ['inbox=OUTBOX', "inbox and outbox cannot both be 'outbox'"],
    ['inbox=a//b', 'is not allowed'],
    ['inbox=/a', 'is not allowed'],
    ['inbox=../a', 'is not allowed'],
    ['inbox=a/b/c/d', "'a/b/c/d' is too deep for inbox: at most 3 folders lead to its files."],
    ['inbox=a,outbox=a/b', "'a/b' would put outbox into inbox"],
    ['inbox=outbox/In', "'outbox/In' would put inbox into outbox"],
    ['accepted=A/b,refused=a/c', "'A/b' and 'a/c' begin with one folder: spell it the same in both."],
    ['receipts=con', 'is not allowed'],
  ] as const) {
    expect(await run(`login change erp --layout ${layout}`)).toMatchObject({ status: 64, err: expect.stringContaining(sentence) });
  }
});

it('a folder that answers and a folder of the layout cannot have one name, whichever was said first', async () => {
  const sentence = "The layout calls receipts 'Status', and so is the folder that answers called";
  const refused = { status: 64, err: expect.stringContaining(sentence) };
  expect(await run('login add erp --answers status')).toMatchObject({ status: 0 });
  expect(await run('login change erp --layout receipts=Status')).toMatchObject(refused);
  expect(await run('login change erp --answers test --layout receipts=Status,inbox=test')).toMatchObject({ status: 0 });
  expect(await run('login change erp --answers status')).toMatchObject(refused);
});
