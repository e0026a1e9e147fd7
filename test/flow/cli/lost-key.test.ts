// The key file that sealed the ledgers is gone, or is another one: no command goes on without a word, and one makes do without it.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { startDaemon } from '#cli/daemon.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import { insertWebhook, selectWebhooks, updateWebhook } from '#core/ledger/webhooks.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { systemRandom } from '#runtime/clock.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { testSite } from '../../support/site.ts';

const [AUTH, SIGNED] = ['7f0a6b7e-0000-4000-8000-000000000001', '7f0a6b7e-0000-4000-8000-000000000002'];
const REMOTE = 'role: gateway\nservice: {url: "https://x.example"}';
const BOTH_WAYS = /restore the one .*'masterKey'.*'dropgate recover --new-key'/;

const site = testSite();
const { at, run } = site;
const loaded = () => loadConfig(site.config, undefined).config;

describe.each(['recover', 'account list', 'account add 2 --name Two', 'login list', 'export'])('%s', (line) => {
  it('refuses ledgers without their key, and names both ways', async () => {
    await run('account add 1 --name One --login one');
    rmSync(at('data/keys/secret.key'));
    expect(await run(line)).toMatchObject({ status: 64, out: '', err: expect.stringMatching(BOTH_WAYS) });
    expect(existsSync(at('data/keys/secret.key'))).toBe(false);
  });

  it('refuses a masterKey that did not seal them', async () => {
    await run('account add 1 --name One --login one');
    site.configure(`masterKey: ${at('other.key')}`);
    writeFileSync(at('other.key'), systemRandom(32));
    expect(await run(line)).toMatchObject({ status: 64, out: '', err: expect.stringMatching(BOTH_WAYS) });
  });
});

describe('check-config and doctor tell that the key is not there', () => {
  const settings = 'sftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';
  beforeEach(async () => {
    site.configure(settings);
    expect(await run('check-config')).toMatchObject({ status: 0, err: '' });
    await run('account add 1 --name One --login one');
    rmSync(at('data/keys/secret.key'));
  });

  it.each([
    ['in the data folder', () => ''],
    ['in a folder of the machine', () => `masterKey: ${at('gone.key')}`],
  ])('%s: a problem', async (_, masterKey) => {
    site.configure(`${settings}\n${masterKey()}`);
    const { status, out, err } = await run('check-config');
    expect([status, err]).toEqual([64, expect.stringMatching(BOTH_WAYS)]);
    expect(err).toMatch(/^problem: The key file/);
    expect(out).not.toContain('# OK');
    expect((await run('doctor')).out).toMatch(/^problem\tThe key file/m);
  });

  it('among credentials of systemd: a warning, for the unit may hand it over', async () => {
    site.configure(`${settings}\nmasterKey: /run/credentials/dropgate-elsewhere.service/master.key`);
    const { status, out, err } = await run('check-config');
    expect([status, err]).toEqual([0, expect.stringMatching(BOTH_WAYS)]);
    expect(err).toMatch(/^warning: The key file .*LoadCredential=/);
    expect(out).toMatch(/# OK$/);
    expect((await run('doctor')).out).toMatch(/^warning\tThe key file/m);
  });
});

it('the daemon refuses another key, too, until the right one is back', async () => {
  site.configure('role: all\nsftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\nlog: {level: error}');
  await run('account add 1 --name One --login one');
  cpSync(at('data/keys/secret.key'), at('right.key'));
  writeFileSync(at('data/keys/secret.key'), systemRandom(32));
  const starts = () =>
    startDaemon({
      config: loaded(),
      passed: null,
      log: openLog('silent'),
      logSettings: { level: 'silent', form: 'json' },
      failed: () => undefined,
      lost: () => undefined,
    });
  await expect(starts()).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(BOTH_WAYS) });
  cpSync(at('right.key'), at('data/keys/secret.key'));
  await (await starts()).stop(AbortSignal.abort());
});

describe('recover --new-key', () => {
  it('lists the keys of a remote service, which are then given anew', async () => {
    site.configure(REMOTE);
    await run('account add 1 --remote --api-key-stdin --login one', 'key-of-one');
    await run('partner add firm --remote --api-key-stdin --login firm', 'key-of-firm');
    rmSync(at('data/keys/secret.key'));
    const { status, out } = await run('recover --new-key');
    expect(status).toBe(0);
    expect(out.split('\n').slice(1)).toEqual([
      'API key of account 1: dropgate account rotate-key 1 --api-key-stdin < key',
      'API key of partner firm: dropgate partner rotate-key firm --api-key-stdin < key',
    ]);
    expect((await run('account list')).out).toContain('1\tactive');
    expect(await run('account rotate-key 1 --api-key-stdin', 'new-of-one')).toMatchObject({ status: 0 });
    expect(await run('partner rotate-key firm --api-key-stdin', 'new-of-firm')).toMatchObject({ status: 0 });
    await withLedgers(loaded(), async ({ gateway }, seal) => {
      const accounts = await readAccounts(gateway!.ledger.read);
      expect(accounts.map(({ serviceKey: sealed }) => sealed && seal.open(sealed, placeOf('API key of account', '1')))).toEqual([
        'new-of-one',
      ]);
    });
  });

  it('lists the operators whose codes no longer open, until each has a new secret', async () => {
    await run('account add 1 --name One --login one');
    for (const operator of ['anna', 'ben', 'cleo']) await run(`operator add ${operator}`);
    for (const operator of ['anna', 'cleo']) await run(`operator set ${operator} --totp`);
    await run('operator disable cleo');
    writeFileSync(at('data/keys/secret.key'), systemRandom(32));
    const lost = async (): Promise<string[]> => (await run('recover --new-key')).out.split('\n').slice(1);
    const anew = (operator: string): string => `second factor of operator ${operator}: dropgate operator set ${operator} --totp`;
    expect(await lost()).toEqual([anew('anna'), anew('cleo')]);
    expect((await run('operator list')).out).toMatch(/^anna\tactive\t.*\tto be set anew\nben\t[^\n]*\ncleo\tdisabled\t.*\tto be set anew$/);
    expect(await run('operator set anna --totp')).toMatchObject({ status: 0 });
    expect(await lost()).toEqual([anew('cleo')]);
    expect(await run('operator set cleo --no-totp')).toMatchObject({ status: 0 });
    expect((await run('recover --new-key')).out).toContain('Nothing must be set anew.');
    expect((await run('operator list')).out).toMatch(/^anna\t.*\tasked\n/);
  });

  it('has the core beside it give the gateway new keys, lists what webhooks have lost, and lets none go on unproved', async () => {
    await run('account add 1 --name One --login one');
    const holder = (accountRegNo: string) => ({ scope: 'account', accountRegNo }) as const;
    await withLedgers(loaded(), ({ core }, seal) =>
      core!.ledger.write([], async (rows) => {
        await insertWebhook(rows, holder('1'), { id: AUTH, url: 'https://erp.example', types: ['new_document'] }, 0);
        await updateWebhook(rows, AUTH, {
          auth_type: 'api_key',
          auth_sealed: seal.seal('{}', secretPlace('authentication of webhook', AUTH)),
        });
        await insertWebhook(rows, holder('2'), { id: SIGNED, url: 'https://erp.example', types: ['new_document'] }, 1);
        await updateWebhook(rows, SIGNED, { signing_sealed: seal.seal('secret', secretPlace('signing secret of webhook', SIGNED)) });
      }),
    );
    writeFileSync(at('data/keys/secret.key'), systemRandom(32));
    const key = readFileSync(at('data/keys/secret.key'));
    const { out } = await run('recover --new-key');
    expect(out.split('\n').slice(1)).toEqual([
      expect.stringContaining(`authentication of webhook ${AUTH}: the subscription rests until`),
      expect.stringContaining(`signing secret of webhook ${SIGNED}: dropgate webhook sign ${SIGNED}`),
    ]);
    // A key file that is there stays as it is.
    expect(readFileSync(at('data/keys/secret.key'))).toEqual(key);
    await withLedgers(loaded(), async ({ core, gateway }, seal) => {
      const [account] = await readAccounts(gateway!.ledger.read);
      expect(seal.open(account?.serviceKey ?? new Uint8Array(), placeOf('API key of account', '1'))).toMatch(/^dg_test_/);
      expect((await selectWebhooks(core!.ledger.read)).map(({ enabled, disabled_reason: why }) => [enabled, why])).toEqual([
        [0, 'key-lost'],
        [1, null],
      ]);
    });
    expect((await run('recover --new-key')).out).toContain('Nothing must be set anew.');
  });
});

it('a seal tells what was lost from what another key has sealed', async () => {
  const seal = await openSeal(at('a.key'), systemRandom);
  expect(() => seal.open(new Uint8Array(), placeOf('API key of account', '1'))).toThrow('set it anew');
});
