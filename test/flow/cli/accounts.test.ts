// The command line on real ledgers: accounts, logins, partners.
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, listAccounts } from '#core/operate/administration.ts';
import { readLogins } from '#gateway/ledger/logins.ts';
import { listAccountsHere } from '#gateway/operate/account-rules.ts';
import { addLogin } from '#gateway/operate/logins.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { systemRandom } from '#runtime/clock.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';
import { command } from '../../support/terminal.ts';

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl erp';

const site = testSite();
const { at, run, done, soon } = site;

function publicKeyFile(): string {
  const path = at('erp.pub');
  writeFileSync(path, `${PUBLIC_KEY}\n`);
  return path;
}

describe('account add', () => {
  it('prints one JSON object, and makes home and login', async () => {
    const { status, out } = await run('account add 5567321707 --name Acme --participant 0007:5567321707 --login acme --json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      accountRegNo: '5567321707',
      apiKey: expect.stringMatching(/^dg_test_[\w-]{43}$/),
      login: 'acme',
      password: expect.stringMatching(/^[0-9a-z]{24}$/),
    });
    expect(readdirSync(at('data/homes/5567321707')).filter((name) => !name.startsWith('.'))).toEqual([
      'accepted',
      'inbox',
      'outbox',
      'receipts',
      'refused',
    ]);
    expect((await run('account list')).out).toBe('5567321707\tactive\tAcme\t0007:5567321707\tacme');
  });

  it('without a login makes an account that only uses the API: no home', async () => {
    const { out } = await run('account add 5567321707 --name Acme --json');
    expect(JSON.parse(out)).toEqual({ accountRegNo: '5567321707', apiKey: expect.any(String), login: null });
    expect(await withLedgers(loaded(), ({ gateway }) => listAccountsHere(gateway!))).toEqual([]);
  });

  it('takes a password from standard input, and never repeats it', async () => {
    const { status, out } = await run('account add 1 --name Acme --login acme --password-stdin', 'correct horse');
    expect(status).toBe(0);
    expect(out).not.toContain('correct horse');
    expect(out).not.toContain('password');
  });

  it('takes a public key, and then makes up no password', async () => {
    const { out } = await run(`account add 1 --name Acme --login acme --public-key ${publicKeyFile()} --json`);
    expect(JSON.parse(out)).toEqual({ accountRegNo: '1', apiKey: expect.any(String), login: 'acme' });
    const [login] = await withLedgers(loaded(), ({ gateway }) => readLogins(gateway!.ledger.read));
    expect(login).toMatchObject({ passwordHash: null, publicKeys: [expect.stringMatching(/^ssh-ed25519 /)] });
  });

  it.each([
    ['account add 1 --name A --participant 7:1', 64, 'is no participant'],
    ['account add .. --name A', 64, 'is not allowed'],
    ['account add 1 --name A --login ../x', 64, 'is not allowed'],
    ['account add 1 --name A --password-stdin', 64, 'belongs to a login'],
    ['account add 1 --name A --remote --login a --api-key-stdin', 64, 'needs role gateway'],
    ['account add 1 --name A --login a --public-key /nowhere.pub', 64, 'cannot be read'],
    ['account add', 64, "missing required argument 'accountRegNo'"],
    ['account rotate-key 1', 66, 'There is no account 1'],
    ['account disable 1', 66, 'There is no account 1'],
    ['account remove 1', 66, 'There is no account 1'],
    ['login remove x', 66, 'There is no login x'],
  ])('%s → %i', async (line, status, sentence) => {
    const result = await run(line, 'a secret of somebody');
    expect(result.err).toContain(sentence);
    expect(result.status).toBe(status);
    expect(await withLedgers(loaded(), ({ gateway }) => readLogins(gateway!.ledger.read))).toEqual([]);
  });

  it('leaves nothing behind when the core refuses', async () => {
    await run('account add 1 --name First --participant 0007:5567321707');
    const { status, err } = await run('account add 2 --name Second --participant 0007:5567321707 --login second');
    expect(status).toBe(73);
    expect(err).toContain('belongs to another account');
    const left = await withLedgers(loaded(), async ({ core, gateway }) => [
      await listAccounts(core!),
      await readLogins(gateway!.ledger.read),
    ]);
    expect(left).toEqual([[expect.objectContaining({ accountRegNo: '1' })], []]);
  });

  it('is disabled, and enabled again; a new key does not enable it', async () => {
    await run('account add 1 --name Acme --login acme');
    await run('account disable 1');
    await run('account rotate-key 1');
    expect((await run('account list')).out).toBe('1\tdisabled\tAcme\t\tacme');
    expect((await run('account enable 1')).out).toBe(soon('Account 1 is enabled'));
    expect((await run('account list')).out).toBe('1\tactive\tAcme\t\tacme');
  });

  it('gets another name, and other addresses', async () => {
    await run('account add 1 --name Acme --participant 0007:5567321707');
    await run('account set 1 --name Akme');
    await run('account add-participant 1 0088:7300010000001');
    await run('account remove-participant 1 0007:5567321707');
    expect((await run('account list')).out).toBe('1\tactive\tAkme\t0088:7300010000001\t');
    expect((await run('account remove-participant 1 0007:5567321707')).status).toBe(66);
    expect((await run('account set 1')).err).toContain('Say what to change');
  });

  it.each([
    ['before the core', []],
    ['between core and gateway', ['core']],
  ])('can be repeated after a crash %s', async (_where, done) => {
    await withLedgers(loaded(), async ({ core, gateway }) => {
      await addLogin(gateway!, { login: 'acme', passwordHash: null, publicKeys: [] });
      if (done.includes('core')) await addAccount(core!, { accountRegNo: '1', name: 'Acme', participants: [] });
    });
    const { status, out } = await run('account add 1 --name Acme --login acme --json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ accountRegNo: '1', apiKey: expect.any(String), password: expect.any(String) });
    expect((await run('account list')).out).toBe('1\tactive\tAcme\t\tacme');
    expect((await run('account add 1 --name Acme --login other')).status).toBe(73);
  });
});

describe('a gateway in front of a remote service', () => {
  beforeEach(() => {
    site.configure('role: gateway\nservice: {url: "https://x.example"}');
  });

  it('takes an account with its API key, which it does not repeat', async () => {
    const { status, out } = await run('account add 1 --remote --api-key-stdin --login acme --json', 'the-key');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({ accountRegNo: '1', apiKey: null, login: 'acme', password: expect.any(String) });
    expect((await run('account list')).out).toBe('1\tactive\t\t\tacme');
    expect((await run('account rotate-key 1 --api-key-stdin', 'another')).status).toBe(0);
    expect((await run('account disable 1')).status).toBe(0);
    expect((await run('account remove 1')).status).toBe(0);
  });

  it('refuses accounts of a core that it has not', async () => {
    expect((await run('account add 1 --name A')).err).toContain('give --remote');
    expect((await run('partner add 1 --name A')).err).toContain('give --remote');
  });
});

describe('show', () => {
  it('tells everything of an account, a partner and a login', async () => {
    await run('account add 1 --name Acme --login acme --participant 0007:5567321707');
    await run('partner add firm --name Firm --login firm');
    await run('partner link firm 1');
    const { out } = await run('account show 1');
    expect(out).toMatch(/^addresses {2,}0007:5567321707$/m);
    // Names longer than most push all values, which begin below each other.
    expect(out).toContain('unreachable receivers  tried for about 20 hours');
    expect(out).toContain('reconciliation file    none');
    expect(JSON.parse((await run('account show 1 --json')).out)).toMatchObject({
      state: 'active',
      logins: ['acme', 'firm'],
      home: { ownKey: true },
    });
    expect((await run('partner show firm')).out).toMatch(/^may act for {2,}1$/m);
    expect(JSON.parse((await run('partner show firm --json')).out)).toMatchObject({ enabled: true, login: 'firm', accounts: ['1'] });
    expect((await run('login show firm')).out).toMatch(/^sees {2,}1=1$/m);
    expect(JSON.parse((await run('login show acme --json')).out)).toMatchObject({ hasPassword: true, homes: [{ home: '1', folder: '' }] });
  });

  it.each(['account show 9', 'partner show nobody', 'login show nobody'])('%s: there is none', async (line) => {
    await run('account add 1 --name Acme');
    expect(await run(line)).toMatchObject({ status: 66, out: '', err: expect.stringContaining('shows all') });
  });

  it('the earlier word for login set is understood', async () => {
    await run('account add 1 --name Acme --login acme');
    expect((await run('login change acme --sessions 3')).status).toBe(0);
    expect((await run('login show acme')).out).toMatch(/^rules {2,}sessions=3$/m);
  });

  it('on a terminal a list is a table with heads', async () => {
    await run('account add 1 --name Acme --login acme');
    const { out } = await command(['account', 'list', '--config', site.config], undefined, { isColoured: false, nowMs: Date.now() });
    expect(out.split('\n')).toEqual(['ACCOUNT  STATE   NAME  ADDRESSES  LOGINS  LAST PICK-UP', '1        active  Acme             acme']);
  });
});

describe('login', () => {
  beforeEach(async () => {
    await run('account add 1 --name One --login one');
    await run('account add 2 --name Two');
  });

  it('adds one for several accounts, each in a folder of its own; an account without a home gets one', async () => {
    const { status } = await run('login add firm --account 1 --account 2 --json');
    expect(status).toBe(0);
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\t1=1,2=2', 'one\tactive\tpassword\t1']);
  });

  it('changes what it proves itself with', async () => {
    const before = await passwordHash('one');
    expect((await run('login set-password one --password-stdin', 'a longer one')).status).toBe(0);
    expect((await run('login set-password one --password-stdin', 'short')).err).toContain('too short');
    expect((await run(`login add-key one ${publicKeyFile()}`)).status).toBe(0);
    expect(await passwordHash('one')).not.toBe(before);
    expect((await run('login list')).out).toBe('one\tactive\tpassword+1 key\t1');
    expect((await run('login remove one')).status).toBe(0);
    expect((await run('login list')).out).toBe('');
  });

  it('sees one account more, and one less; a folder gets another name', async () => {
    await run('login add firm');
    expect((await run('login add-home firm 1 --folder one-ab')).out).toBe(done("Login firm sees 1 in the folder 'one-ab'"));
    expect((await run('login add-home firm 2')).status).toBe(0);
    expect((await run('login rename-folder firm one-ab ONE-AB')).status).toBe(0);
    expect(await run('login rename-folder firm ONE-AB 2')).toMatchObject({
      status: 73,
      err: expect.stringContaining("folder '2' already"),
    });
    expect((await run('login rename-folder firm nothing two')).err).toContain("has no folder 'nothing'");
    expect((await run('login rename-folder firm ONE-AB a/b')).status).toBe(64);
    expect((await run('login list')).out.split('\n')[0]).toBe('firm\tactive\tpassword\t2=2,ONE-AB=1');
    expect((await run('login remove-home firm 2')).out).toBe(soon('Login firm sees 2 no more'));
    expect((await run('login remove-home firm 2')).status).toBe(66);
    expect((await run('login add-home one 2')).err).toContain("'dropgate login rename-folder one . NAME' gives that one a folder first");
    await run('login rename-folder one . one-ab');
    expect((await run('login add-home one 2 --folder two-ab')).status).toBe(0);
    expect((await run('login list')).out.split('\n')[1]).toBe('one\tactive\tpassword\tone-ab=1,two-ab=2');
    expect((await run('account add 3 --name Three --login one')).err).toContain("then run 'dropgate login add-home one 3'");
  });

  it('is disabled, and enabled again', async () => {
    await run('login disable one');
    expect((await run('login list')).out).toBe('one\tdisabled\tpassword\t1');
    expect((await run('login enable one')).out).toBe(soon('Login one is enabled'));
    expect((await run('login list')).out).toBe('one\tactive\tpassword\t1');
    expect((await run('login disable nobody')).status).toBe(66);
  });

  it('has a key line of 2,048 bytes, and of no more', async () => {
    const path = at('long.pub');
    // PostgreSQL keeps what repeats itself in less.
    const line = `${PUBLIC_KEY}-${Buffer.from(systemRandom(2_048)).toString('base64')}`;
    for (const [bytes, status] of [
      [2_048, 0],
      [2_049, 64],
    ] as const) {
      writeFileSync(path, line.slice(0, bytes));
      expect(await run(`login add-key one ${path}`)).toMatchObject({ status });
    }
    expect((await run('login list')).out).toBe('one\tactive\tpassword+1 key\t1');
  });

  it('refuses a private key with a sentence', async () => {
    const path = at('id');
    writeFileSync(path, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const { status, err } = await run(`login add-key one ${path}`);
    expect([status, err]).toEqual([64, expect.stringContaining('is a private key')]);
  });

  async function passwordHash(name: string): Promise<string | null | undefined> {
    const logins = await withLedgers(loaded(), ({ gateway }) => readLogins(gateway!.ledger.read));
    return logins.find(({ login }) => login === name)?.passwordHash;
  }
});

describe('partner', () => {
  it('acts for an account, and its login sees the home', async () => {
    await run('account add 1 --name One --login one');
    const { out } = await run('partner add firm --name Firm --json');
    expect(JSON.parse(out)).toEqual({ partnerRegNo: 'firm', apiKey: expect.any(String) });
    await run('login add firm');
    expect((await run('partner link firm 1 --folder acme-ab')).out).toBe(done('Partner firm may act for 1, and login firm sees its home'));
    expect((await run('login list')).out.split('\n')[0]).toBe('firm\tactive\tpassword\tacme-ab=1');
    expect((await run('partner link firm 9')).status).toBe(66);
  });
});

it('account rotate-key shows a new key; the gateway takes its own', async () => {
  const { apiKey } = JSON.parse((await run('account add 1 --name One --login one --json')).out);
  const rotated = JSON.parse((await run('account rotate-key 1 --grace 1h --json')).out);
  expect(rotated).toEqual({ accountRegNo: '1', apiKey: expect.stringMatching(/^dg_test_/) });
  expect(rotated.apiKey).not.toBe(apiKey);
  expect((await run('account rotate-key 1 --grace soon')).err).toContain('--grace must be a duration');
});

it('account set switches features, gives an account a budget of its own and says how it is judged; export and apply carry all', async () => {
  await run('account add 1 --name One');
  expect(
    (await run('account set 1 --feature apiIntegration=off --feature capture=on --requests 100 --validation warn --profiles any')).status,
  ).toBe(0);
  const account = async () => (await withLedgers(loaded(), ({ core }) => listAccounts(core!)))[0];
  const changed = {
    features: { apiIntegration: false, sftpIntegration: true, capture: true },
    requestsMax: 100,
    validation: { severity: 'warn', profiles: 'any' },
  };
  expect(await account()).toMatchObject(changed);
  expect((await run('account show 1')).out).toMatch(/^requests a minute {2,}100$/m);
  const file = at('accounts.yaml');
  writeFileSync(file, (await run('export')).out);
  await run('account set 1 --feature apiIntegration=on --requests default --validation strict --profiles known');
  const usual = { features: { apiIntegration: true }, requestsMax: null, validation: { severity: 'strict', profiles: 'known' } };
  expect(await account()).toMatchObject(usual);
  await run(`apply ${file}`);
  expect(await account()).toMatchObject(changed);
});

it.each([
  ['account set 1', 64, "Say what to change: 'dropgate account set --help' shows all"],
  ['account set 1 --feature capture', 64, 'must be NAME=on or NAME=off'],
  ['account set 1 --feature fax=on', 64, 'one of apiIntegration, sftpIntegration, capture'],
  ['account set 1 --validation lax', 64, 'Allowed choices are strict, warn'],
  ['account set 1 --requests many', 64, 'must be a whole number'],
  ['account set 1 --requests 0', 64, 'must be a whole number'],
  ['account set 1 --requests 5', 66, 'There is no account 1'],
  ['partner unlink p 1', 66, 'may not act for 1 anyway'],
  ['partner rotate-key p', 66, 'There is no partner p'],
])('%s → %i', async (line, status, sentence) => {
  const result = await run(line);
  expect(result.err).toContain(sentence);
  expect(result.status).toBe(status);
});

it('partner list, unlink and rotate-key', async () => {
  await run('account add 1 --name One');
  const { apiKey } = JSON.parse((await run('partner add firm --name Firm --json')).out);
  await run('partner link firm 1');
  expect((await run('partner list')).out).toBe('firm\tFirm\t1');
  expect((await run('partner unlink firm 1')).out).toBe(done('Partner firm may act for 1 no more'));
  expect(JSON.parse((await run('partner list --json')).out)).toMatchObject({
    partnerRegNo: 'firm',
    name: 'Firm',
    enabled: true,
    accounts: [],
  });
  const rotated = JSON.parse((await run('partner rotate-key firm --grace 0s --json')).out);
  expect(rotated).toEqual({ partnerRegNo: 'firm', apiKey: expect.stringMatching(/^dg_test_/) });
  expect(rotated.apiKey).not.toBe(apiKey);
});

it('partner unlink takes the home out of the login’s sight', async () => {
  await run('account add 1 --name One --login one');
  await run('partner add firm --name Firm');
  await run('login add firm');
  await run('partner link firm 1');
  expect((await run('login list')).out).toContain('firm\tactive\tpassword\t1=1');
  expect((await run('partner unlink firm 1')).out).toContain('and login firm no longer sees its home');
  expect((await run('login list')).out).not.toContain('1=1');
  expect((await run('login list')).out).toContain('one\tactive\tpassword\t1');
});

it('account remove forgets an account that never had a document', async () => {
  await run('account add 1 --name One --login one');
  expect((await run('account remove 1')).out.split('\n')).toEqual([
    done('Account 1 was removed'),
    "Login one sees no account any more; 'dropgate login remove one' removes it.",
  ]);
  expect((await run('account list')).out).toBe('');
});

function loaded() {
  return loadConfig(site.config, undefined).config;
}
