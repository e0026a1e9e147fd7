// What an operator does on the page, by HTTP as a browser speaks it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readLogins } from '#gateway/ledger/logins.ts';
import { addLogin } from '#gateway/operate/logins.ts';
import { invoice } from '../../support/documents.ts';
import { askApi } from '../../support/operators-api.ts';
import type { Browser, TestPage } from '../../support/page.ts';
import type { ScriptedService } from '../../support/scripted-service.ts';
import { twoDocuments } from '../../support/two-documents.ts';
import type { World } from '../../support/world/world.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl erp';

let world: World<ScriptedService>;
let page: TestPage;
let sent: string;
let refused: string;
let browser: Browser;

beforeEach(async () => {
  ({ world, page, sent, refused, browser } = await twoDocuments());
});

const acts = (): Record<string, unknown>[] =>
  readFileSync(join(world.data, 'audit', '0000000001.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('an operator who may act', () => {
  beforeEach(() => browser.login('actor'));

  it('is asked once more, and then sends again', async () => {
    const shown = await browser.get(`/document?kind=dropped&id=${refused}`);
    expect(shown.text).toContain(`/act/resend?id=${refused}`);
    const question = await browser.get(`/act/resend?id=${refused}`);
    expect(question.text).toContain('will be refused again');
    const done = await browser.act('resend', refused);
    expect(done.status).toBe(303);
    expect(done.location).toMatch(/^\/document\?kind=dropped&id=/);
    expect(done.location).not.toContain(refused);
    expect((await browser.get(done.location ?? '')).text).toContain(refused.slice(-8).toLowerCase());
    expect(acts()).toMatchObject([{ who: 'actor by the page, from 127.0.0.1', what: 'resend', given: { item: refused } }]);
  });

  it('downloads the file as it came, which is written down', async () => {
    const file = await browser.act('download', sent);
    expect(Buffer.from(file.text).equals(invoice({ id: 'F-1' }))).toBe(true);
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="document"; filename*=UTF-8''a.xml`);
    expect(acts()).toMatchObject([{ who: 'actor by the page, from 127.0.0.1', what: 'document', given: { item: sent } }]);
  });

  it('downloads a receipt as its sender finds it, which is written down', async () => {
    const [receipt = ''] = world.files('acme-ab', 'receipts').filter((name) => name.startsWith('b.xml'));
    expect((await browser.get(`/document?kind=dropped&id=${refused}`)).text).toContain(
      `/act/download-receipt?${new URLSearchParams({ id: `${refused}/${receipt}` })}`,
    );
    const file = await browser.act('download-receipt', `${refused}/${receipt}`);
    expect(file.text).toBe(readFileSync(join(world.data, 'homes', 'acme-ab', 'receipts', receipt), 'utf8'));
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="document"; filename*=UTF-8''${receipt}`);
    expect(acts()).toMatchObject([{ what: 'document', given: { item: refused, receipt } }]);
    for (const name of ['../a.xml', '../../../keys/secret.key', '', 'none.json', 'a.xml'])
      expect((await browser.act('download-receipt', `${refused}/${name}`)).status).toBe(404);
    const path = join(world.data, 'receipt.json');
    expect((await page.run('document', refused, '--receipt', receipt, '--write', path)).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(file.text);
  });

  it('is told why something cannot be done, and that is written down, too', async () => {
    expect(await browser.act('cancel', sent)).toMatchObject({ status: 403, text: expect.stringContaining('cannot be cancelled any more') });
    expect(acts()).toMatchObject([{ what: 'cancel', failed: expect.any(String) }]);
  });

  it('is led to what was held today, and cancels what was tried only where that was said', async () => {
    world.service.script = ({ method }) => ({ status: method === 'POST' ? 503 : 204 });
    const item = await world.drop('acme-ab', 'c.xml', invoice({ id: 'F-3' }));
    const shown = async (): Promise<string> => (await browser.get(`/document?kind=dropped&id=${item}`)).text;
    expect(await shown()).toContain(`/act/cancel?id=${item}`);
    await world.inTime('it to be held', () => world.stages('acme-ab', 'c.xml').includes('held'), 2 * 3_600_000);
    await browser.login('actor');
    expect((await browser.get('/find?state=held&account=acme-ab')).text).toContain('/act/release-all?id=acme-ab');
    for (const path of ['/find?state=held', '/find?state=refused&account=acme-ab', '/find?state=held&account=nobody'])
      expect((await browser.get(path)).text).not.toContain('/act/release-all');
    const [, figure = ''] = /href="([^"]+)"><b>1<\/b> held/.exec((await browser.get('/')).text) ?? [];
    expect((await browser.get(figure.replaceAll('&#38;', '&'))).text).toContain('Invoice F-3');
    const refusedNow = await browser.act('cancel', item);
    expect(refusedNow).toMatchObject({ status: 403, text: expect.stringContaining('was tried already, so the service may have it') });
    expect(await shown()).toContain(`/act/cancel-tried?id=${item}`);
    expect((await browser.get(`/act/cancel-tried?id=${item}`)).text).toContain('do this only when somebody has looked there');
    expect((await browser.act('cancel-tried', item)).location).toBe(`/document?kind=dropped&id=${item}`);
    await world.inTime('its receipt', () => world.stages('acme-ab', 'c.xml').includes('cancelled'), 60_000);
  });

  it('switches a login off and on', async () => {
    await world.administer((on) => addLogin(on, { login: 'erp', passwordHash: null, publicKeys: [] }));
    expect((await browser.act('disable-login', 'erp')).location).toBe('/login-of?id=erp');
    expect((await browser.get('/login-of?id=erp')).text).toContain('disabled');
    await browser.act('enable-login', 'erp');
    expect((await browser.get('/login-of?id=erp')).text).toContain('active');
  });

  it('switches an account off and on', async () => {
    expect((await browser.act('disable-account', 'acme-ab')).location).toBe('/account?id=acme-ab');
    expect((await browser.get('/account?id=acme-ab')).text).toContain('disabled');
    await browser.act('enable-account', 'acme-ab');
    expect((await browser.get('/account?id=acme-ab')).text).toContain('active');
    expect((await browser.get('/audit')).text).toMatch(/account enable.*account disable/s);
  });
});

describe('a connection kit', () => {
  const HOST = { host: 'sftp.example.com', port: '2022' };

  beforeEach(async () => {
    await browser.login('actor');
    await browser.act('add-login', '', { login: 'erp', account: 'acme-ab', publicKeys: KEY });
    await browser.act('set-password', 'erp');
  });

  it('is what the command writes, for an operator who may only look too, and is written down', async () => {
    const looker = page.browser();
    await looker.login('looker');
    expect((await looker.get('/login-of?id=erp')).text).toContain('/act/connection-kit?id=erp');
    expect((await looker.get('/act/connection-kit?id=erp')).text).toContain('It holds no secret.');
    const kit = await looker.act('connection-kit', 'erp', HOST);
    expect(kit.headers.get('content-disposition')).toBe(`attachment; filename="document"; filename*=UTF-8''erp-kit.zip`);
    expect(acts().at(-1)).toMatchObject({
      who: 'looker by the page, from 127.0.0.1',
      what: 'connection-kit',
      given: { login: 'erp', host: HOST.host, port: 2_022 },
    });
    const folder = join(world.data, 'kit');
    expect((await page.run('connection-kit', 'erp', '--host', HOST.host, '--port', HOST.port, '--out', folder)).status).toBe(0);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const at = kit.text.indexOf(`erp-kit/${name}`);
      expect(kit.text.slice(at)).toContain(`erp-kit/${name}${readFileSync(join(folder, name), 'utf8')}`);
    }
    expect(await askApi(page.url, 'connection-kit', { login: 'erp' }, { operator: 'looker' })).toMatchObject({ status: 200 });
  });

  it('holds no secret', async () => {
    const rows = await world.administer((on) => readLogins(on.ledger.read));
    const [passwordHash = ''] = rows.flatMap((row) => row.passwordHash ?? []);
    expect(passwordHash).not.toBe('');
    const master = readFileSync(join(world.data, 'keys', 'secret.key'));
    const { text } = await browser.act('connection-kit', 'erp', HOST);
    for (const secret of [passwordHash, 'PRIVATE KEY', 'argon2', master.toString().trim(), master.toString('base64'), world.data])
      expect(text).not.toContain(secret);
  });

  it.each([
    ['erp', { host: 'a;touch pwned' }, 400, 'The host must be'],
    ['erp', { host: '-oProxyCommand=id' }, 400, 'The host must be'],
    ['erp', { port: '70000' }, 400, 'port'],
    ['nobody', {}, 404, 'There is no login nobody'],
    ['../../keys', {}, 404, 'There is no login'],
  ])('of %s with %j is none', async (login, fields, status, says) => {
    expect(await browser.act('connection-kit', login, fields)).toMatchObject({ status, text: expect.stringContaining(says) });
  });
});

describe('changing what is set', () => {
  beforeEach(() => browser.login('actor'));

  it('adds a login, which gets in by a password that is shown once, and changes its rules, keys and sight', async () => {
    expect((await browser.get('/logins')).text).toContain('/act/add-login');
    const added = await browser.act('add-login', '', { login: 'erp', account: 'acme-ab' });
    expect(added.text).toMatch(/<dt>password<\/dt><dd><code>\w{24}</);
    await browser.act('add-key', 'erp', { publicKeys: KEY });
    await browser.act('change-rules', 'erp', {
      homeMib: '500',
      sessionsMax: '3',
      allow: '10.0.0.0/8\n192.0.2.7',
      readOnly: 'yes',
      status: 'yes',
    });
    const shown = await browser.get('/login-of?id=erp');
    expect(shown.text).toContain('password, 1 key');
    expect(shown.text).toContain('<dd>allow=10.0.0.0/8,192.0.2.7 sessions=3 access=read-only answers=status home-bytes=524288000</dd>');
    expect((await browser.get('/act/change-rules?id=erp')).text).toMatch(/name="homeMib" value="500".+10\.0\.0\.0\/8\n192\.0\.2\.7/s);
    await browser.act('change-rules', 'erp', { sessionsMax: '3' });
    expect((await browser.get('/login-of?id=erp')).text).toContain('<dd>sessions=3</dd>');
    const { text } = await browser.get('/act/remove-key?id=erp');
    expect(text).toContain(`<option value="${KEY}"`);
    await browser.act('remove-key', 'erp', { publicKeys: KEY });
    await browser.act('no-more-see', 'erp', { account: 'acme-ab' });
    const after = (await browser.get('/login-of?id=erp')).text;
    expect(after).toContain('It sees no account.');
    expect(after).not.toContain('1 key');
    await browser.act('let-see', 'erp', { account: 'acme-ab', folder: 'acme' });
    expect((await browser.get('/login-of?id=erp')).text).toContain('acme');
    expect(acts().map(({ what }) => what)).toEqual([
      'login add',
      'login add-key',
      'login set',
      'login set',
      'login remove-key',
      'login remove-home',
      'login add-home',
    ]);
  });

  it('adds an account of the service, and changes it', async () => {
    const fields = { accountRegNo: 'globex-ab', login: 'globex', apiKey: 'a key of the service' };
    expect(await browser.act('add-account', '', fields)).toMatchObject({ status: 200, text: expect.stringContaining('password') });
    expect(
      (
        await browser.act('change-account', 'globex-ab', {
          receipts: 'text',
          unreachable: 'at-once',
          reconciliation: 'daily',
          repair: 'suggest',
        })
      ).location,
    ).toBe('/account?id=globex-ab');
    expect((await browser.get('/account?id=globex-ab')).text).toMatch(
      /receipts<\/dt><dd>text.*unreachable receivers<\/dt><dd>at-once.*reconciliation file<\/dt><dd>daily.*repairs<\/dt><dd>suggest/s,
    );
    expect(JSON.stringify(acts())).not.toContain('a key of the service');
  });

  it('adds a partner, and links an account', async () => {
    await browser.act('add-partner', '', { partnerRegNo: 'books-ab', login: 'books', apiKey: 'a key of the service' });
    expect((await browser.act('link-account', 'books-ab', { account: 'initech-ab' })).location).toBe('/partner?id=books-ab');
    expect((await browser.get('/partner?id=books-ab')).text).toContain('initech-ab');
    expect((await browser.get('/partner?id=books-ab')).text).toContain('/act/change-partner?id=books-ab');
    await browser.act('unlink-account', 'books-ab', { account: 'initech-ab' });
    expect((await browser.get('/partner?id=books-ab')).text).toContain('unlinked');
    expect((await browser.get('/act/unlink-account?id=books-ab')).text).not.toContain('<option');
  });

  it('is told what is wrong with what was said', async () => {
    await browser.act('add-login', '', { login: 'erp' });
    expect(await browser.act('change-rules', 'erp', { sessionsMax: 'many' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('many is no number'),
    });
    expect((await browser.act('add-login', '', { login: 'erp' })).status).toBe(409);
  });
});
