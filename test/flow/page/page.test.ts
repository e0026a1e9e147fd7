// The page: what an operator sees and does there, by HTTP as a browser speaks it.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readLogins } from '#gateway/ledger/logins.ts';
import { keepReject } from '#gateway/ledger/rejects.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { setTotp } from '#gateway/operate/second-factor.ts';
import { writeDown } from '#runtime/audit/trail.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { authenticator } from '../../support/authenticator.ts';
import { invoice, invoiceOfSize } from '../../support/documents.ts';
import { askApi } from '../../support/operators-api.ts';
import { type Browser, LOOP_DELAY_MS, OPERATOR_PASSWORD, startPage, type TestPage, tokenIn, walkList } from '../../support/page.ts';
import { created, type Script, type ScriptedService } from '../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../support/sftp-server.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl erp';
const BAD = '<Invoice>\n<oops>\n';

let world: World<ScriptedService>;
let page: TestPage;
let sent: string;
let refused: string;
let browser: Browser;

beforeEach(async () => {
  world = await startWorld(scripted());
  page = await startPage(world);
  sent = await world.drop('acme-ab', 'a.xml', invoice({ id: 'F-1' }));
  refused = await world.drop('acme-ab', 'b.xml', BAD);
  await until('both', () => world.files('acme-ab', 'receipts').length === 2);
  browser = page.browser();
});

/** So many pass, each noted. */
async function minutes(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    world.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const acts = (): Record<string, unknown>[] =>
  readFileSync(join(world.data, 'audit', '0000000001.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('logging in', () => {
  it('leads to where one wanted to go, and logging out ends it', async () => {
    expect(await browser.get('/find?text=F-1')).toMatchObject({ status: 303, location: '/login?next=%2Ffind%3Ftext%3DF-1' });
    const login = await browser.get('/login?next=%2Ffind%3Ftext%3DF-1');
    expect(login.text).toContain('name="next" value="/find?text=F-1"');
    const fields = { operator: 'looker', password: 'correct horse battery staple', next: '/find?text=F-1' };
    expect(await browser.post('/login', fields)).toMatchObject({ status: 303, location: '/find?text=F-1' });
    const shown = await browser.get('/find?text=F-1');
    expect(shown.text).toContain('Invoice F-1');
    const token = /name="token" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
    expect(await browser.post('/logout', { token })).toMatchObject({ status: 303, location: '/login' });
    expect((await browser.get('/')).status).toBe(303);
    expect(page.log.filter((line) => /admin\.log(in|out)"/.test(line))).toHaveLength(2);
  });

  it('tells by a sentence that it came to nothing, the same for who is not there', async () => {
    const wrong = await browser.login('looker', 'wrong password');
    const nobody = await page.browser().login('nobody', 'wrong password');
    expect([wrong.status, nobody.status]).toEqual([403, 403]);
    expect(wrong.text).toBe(nobody.text);
    expect(wrong.text).toContain('is wrong');
    expect((await page.browser().login('act\0or', 'wrong password')).status).toBe(400);
    browser.cookie = 'dropgate=%00';
    expect((await browser.get('/')).status).toBe(303);
  });

  it('lasts an hour without a request, twelve in all', async () => {
    await browser.login('looker');
    for (let minutes = 0; minutes < 11 * 60; minutes += 50) {
      world.clock.advance(50 * 60_000);
      expect((await browser.get('/audit')).status).toBe(200);
    }
    world.clock.advance(59 * 60_000);
    expect((await browser.get('/audit')).status).toBe(303);
    await browser.login('looker');
    world.clock.advance(61 * 60_000);
    expect((await browser.get('/audit')).status).toBe(303);
  });
});

describe('a second factor', () => {
  let code: () => string;
  const login = (given: string, from = page.browser()) =>
    from.post('/login', { operator: 'actor', password: OPERATOR_PASSWORD, code: given, next: '/' });

  beforeEach(async () => {
    const { out } = await page.run('operator', 'set', 'actor', '--totp');
    const { secret, codeAt } = authenticator(out);
    code = () => codeAt(world.clock.now());
    expect(secret).not.toBe('');
    expect(readFileSync(join(world.data, 'audit', '0000000001.jsonl'), 'utf8')).not.toContain(secret);
  });

  it('is asked beside the password, and each code opens once', async () => {
    expect((await login(code(), browser)).status).toBe(303);
    expect((await browser.get('/')).status).toBe(200);
    const again = await login(code());
    const none = await login('');
    expect([again.status, none.status, again.text === none.text]).toEqual([403, 403, true]);
    world.clock.advance(60_000);
    expect((await login(code())).status).toBe(303);
    expect((await page.browser().login('looker')).status).toBe(303);
  });

  it('is guessed no faster than a password, and a code does not help without one', async () => {
    expect((await page.browser().post('/login', { operator: 'actor', password: 'wrong', code: code(), next: '/' })).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => login(String(at).padStart(6, '0'))));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(7);
    expect((await login(code())).status).toBe(429);
  });

  it('of a key file that was replaced opens nothing, and who knows the password is told what to do', async () => {
    const other = await openSeal(join(world.data, 'other.key'), systemRandom);
    await world.administer((on) => setTotp({ ...on, seal: other }, 'actor', 'gateway.example'));
    const told = await login('123456', browser);
    expect(told.status).toBe(403);
    expect(told.text).toContain('The key file was replaced since: the code of actor is to be set anew');
    expect(told.text).toContain('dropgate operator set actor --totp');
    const guessed = await page.browser().post('/login', { operator: 'actor', password: 'wrong', code: '123456', next: '/' });
    expect(guessed).toMatchObject({ status: 403, text: expect.stringContaining('The operator, the password or the code is wrong.') });
    expect((await browser.get('/')).status).toBe(303);
    await Promise.all(Array.from({ length: 5 }, () => login('123456')));
    expect(await login('123456')).toMatchObject({ status: 429 });
    expect(page.log.filter((line) => line.includes('admin.code-lost'))).toHaveLength(2);
  });

  it('closes the API to the operator, and ends the sessions of before; on the machine it is taken back', async () => {
    expect(await askApi(page.url, 'account.list')).toMatchObject({ status: 401, body: { code: 'wrong-credentials' } });
    expect((await page.run('operator', 'list')).out).toMatch(/^actor\t.*\tasked$/m);
    await login(code(), browser);
    expect((await page.run('operator', 'set', 'actor', '--no-totp')).status).toBe(0);
    expect((await browser.get('/')).status).toBe(303);
    expect((await page.browser().login('actor')).status).toBe(303);
    expect((await askApi(page.url, 'account.list')).status).toBe(200);
    expect((await page.run('operator', 'set', 'actor')).status).toBe(64);
  });
});

describe('an operator who may look', () => {
  beforeEach(() => browser.login('looker'));

  it('sees what became of the documents of today', async () => {
    const { text } = await browser.get('/');
    expect(text).toContain('<b>2</b> dropped');
    expect(text).toMatch(/<b>1<\/b> accepted.*<b>1<\/b> refused/s);
    expect(text).toContain('All parts of the daemon answer');
  });

  it('sees what was done in the last 24 hours, as a chart and as a table, the disk, and the rules', async () => {
    expect((await browser.get('/')).text).toContain('Nothing is known yet');
    for (let dropped = 0; dropped < 3; dropped++) page.measures.taken();
    page.measures.published(5);
    await minutes(1);
    await minutes(20);
    page.measures.taken();
    await minutes(1);
    const { text } = await browser.get('/');
    expect(text).toContain('aria-label="Documents dropped and received: 4 in a quarter of an hour at the most"');
    expect(text).toContain(`aria-label="Delay of the event loop: ${LOOP_DELAY_MS} ms at the most"`);
    expect(text.match(/<rect /g)?.length).toBeGreaterThanOrEqual(4);
    expect(text).toMatch(/data-name="dropped">4<.*data-name="received">1<.*data-name="loop delay">17 ms/s);
    expect(text).toMatch(/free on the disk<\/dt><dd>[\d.]+ [KMGT]iB of/);
    expect(text).toMatch(/No rules begin or end\..*<details><summary>\d+ sets of rules in force.*data-name="mandatory from">20\d\d-/s);
    expect(text).not.toContain('data-name="until"');
    expect(text).not.toContain('<script');
    const told = (await askApi(page.url, 'activity', { minutes: 2 })).body;
    expect(told).toMatchObject([
      { dropped: 0, loopDelayMs: LOOP_DELAY_MS },
      { dropped: 1, received: 0 },
    ]);
  });

  it('sees no more than a day of it', async () => {
    await minutes(1_450);
    page.measures.taken();
    await minutes(1);
    const { body } = await askApi(page.url, 'activity', { minutes: 1_440 });
    expect(body).toHaveLength(1_440);
  });

  it('finds a document, and everything of it: what is wrong with it, what happened, its receipt', async () => {
    const { text } = await browser.get('/find?text=b.xml');
    expect(text).toContain(`/document?kind=dropped&#38;id=${refused}`);
    const found = await browser.get(`/document?kind=dropped&id=${refused}`);
    expect(found.text).toMatch(/What happened.*in custody.*refused/s);
    expect(found.text).toContain('&#34;stage&#34;: &#34;refused&#34;');
    expect(found.text).not.toContain('/act/');
  });

  it('sees the line at which reading has ended, of a file that is not well-formed', async () => {
    const broken = Buffer.from(invoice({ id: 'F-7' }))
      .toString()
      .replace('<cbc:IssueDate>', '<cbc:Note>Tools & more</cbc:Note><cbc:IssueDate>');
    const item = await world.drop('acme-ab', 'cut.xml', Buffer.from(broken));
    await until('its receipt', () => world.stages('acme-ab', 'cut.xml').includes('refused'));
    const { text } = await browser.get(`/document?kind=dropped&id=${item}`);
    const [, line] = /class="reason">The file is no well-formed XML: line (\d+),/.exec(text) ?? [];
    expect(text).toMatch(new RegExp(`<span>line ${line}</span> .*Tools &#38; more`));
    expect((await browser.get(`/document?kind=dropped&id=${sent}`)).text).not.toContain('class="line"');
  });

  it('is told that what was received is found by a text, in place of a list of something else', async () => {
    const { text } = await browser.get('/find?state=received');
    expect(text).toContain('say one');
    expect(text).not.toContain('Invoice F-1');
  });

  it('lists by state, and page by page', async () => {
    expect((await browser.get('/find?state=refused')).text).toMatch(/b\.xml/);
    expect((await browser.get('/find?state=refused')).text).not.toContain('F-1');
    for (let at = 0; at < 60; at++) await world.drop('acme-ab', `more-${at}.txt`, 'no document');
    const listed = await walkList(browser, '/find', 'before', /kind=dropped&#38;id=([^"]+)"/g);
    expect([listed.length, new Set(listed).size]).toEqual([62, 62]);
    const names = await walkList(browser, '/find?text=more-', 'behind', />(more-\d+\.txt)</g);
    expect([names.length, new Set(names).size]).toEqual([60, 60]);
    expect(await browser.get('/find?text=more-&behind=anything')).toMatchObject({ status: 400 });
  });

  it.each([
    ['/connections', 'Nobody is connected.'],
    ['/accounts', 'acme-ab'],
    ['/account?id=acme-ab', 'Its home here'],
    ['/logins', 'There is no such login.'],
    ['/partners', 'There is no such partner.'],
    ['/audit', 'Nobody has done anything here yet.'],
  ])('sees %s', async (path, says) => {
    expect(await browser.get(path)).toMatchObject({ status: 200, text: expect.stringContaining(says) });
  });

  it('sees for how long an account keeps what, in words', async () => {
    await page.run('account', 'set', 'acme-ab', '--keep-items', 'forever', '--keep-failed-uploads', '36h');
    await page.run('account', 'receiving', 'acme-ab', '--keep-outbox', '20d');
    expect((await browser.get('/account?id=acme-ab')).text).toMatch(/<dd>keepOutbox=20d<\/dd>.*<dd>items=forever failedUploads=36h<\/dd>/s);
  });

  it('has a file judged, with what is wrong beside its place, and nothing of it is kept', async () => {
    const token = tokenIn((await browser.get('/validate')).text);
    const good = readFileSync('test/fixtures/invoice.xml', 'utf8');
    const bad = good.replace('>SEK<', '>XYZ<');
    const { status, text } = await browser.show('<b>new.xml', bad, token);
    expect(status).toBe(200);
    expect(text).toContain('&#60;b&#62;new.xml');
    expect(text).toContain('class="badge bad">invalid');
    expect(text).toMatch(/<span>line \d+, column \d+<\/span>.*<mark>/);
    expect((await browser.show('good.xml', good, token)).text).toContain('Nothing is wrong with it.');
    expect((await browser.show('bad.txt', 'no document', token)).text).toContain('It cannot be read.');
    expect(await browser.show('', '', token)).toMatchObject({ status: 400 });
    expect((await browser.get('/')).text).toContain('<b>2</b> dropped');
    expect((await browser.get('/find?text=good.xml')).text).toContain('Nothing was found.');
  });

  it('has a document of 20 MiB judged, and no longer one', async () => {
    const token = tokenIn((await browser.get('/validate')).text);
    const longest = invoiceOfSize(20 * 2 ** 20);
    expect((await browser.show('long.xml', longest, token)).text).toContain('class="badge good">valid<');
    expect((await askApi(page.url, 'validate', { document: Buffer.from(longest).toString('base64') })).body).toMatchObject({
      state: 'valid',
    });
    expect(await browser.show('too-long.xml', invoiceOfSize(20 * 2 ** 20 + 1), token)).toMatchObject({ status: 413 });
  });

  it('sees the audit trail page by page, each line once', async () => {
    for (let number = 1; number <= 120; number++)
      await writeDown(world.data, world.gateway().administration.seal, { who: 'anna', what: `act ${number}`, given: {} }, 0);
    const acts = await walkList(browser, '/audit', 'before', /<code>act (\d+)</g);
    expect(acts).toEqual(Array.from({ length: 120 }, (_, at) => String(120 - at)));
    const trail = join(world.data, 'audit', '0000000001.jsonl');
    const lines = readFileSync(trail, 'utf8').replace('{"sequence":71,', '{"broken":71,');
    writeFileSync(trail, lines);
    const again = await walkList(browser, '/audit', 'before', /<code>(?:act )?(\d+|no line of the trail)</g);
    expect(new Set(again).size).toBe(120);
  });

  it('is told how many did not get in, where not all are shown', async () => {
    const reject = { reason: 'no-login', client: 'OpenSSH', offer: null, explanation: 'no password', times: 1, login: 'erp' } as const;
    await world.administer(({ ledger }) =>
      ledger.write([], async (rows) => {
        for (let at = 0; at < 205; at++) await keepReject(rows, { ...reject, address: `192.0.2.${at}`, atMs: at });
      }),
    );
    expect((await browser.get('/connections')).text).toContain('The first 200 of 205.');
  });

  it('is told what is not there', async () => {
    expect(await browser.get('/document?kind=dropped&id=zzzzzzzz')).toMatchObject({
      status: 404,
      text: expect.stringContaining('no item zzzzzzzz'),
    });
    expect((await browser.get('/account?id=nobody')).status).toBe(404);
  });
});

it('an attempt whose answer was lost says so, and only the one that heard it what became of the document', async () => {
  let posts = 0;
  const script: Script = ({ method }) => {
    if (method !== 'POST') return { status: 204 };
    return ++posts < 3 ? { status: 500 } : created();
  };
  const own = await startWorld(scripted(script));
  const item = await own.drop('acme-ab', 'lost.xml', invoice({ id: 'F-lost' }));
  await until('its end', async () => {
    await own.pass(10 * 60_000, 60_000);
    return (await own.count('accepted')) === 1;
  });
  const shown = await startPage(own);
  const looker = shown.browser();
  await looker.login('looker');
  const { text } = await looker.get(`/document?kind=dropped&id=${item}`);
  const attempts = [...text.matchAll(/<strong>attempt (\d)<\/strong>\s*<span>([^<]*)/g)].map(([, number, outcome]) => [
    number,
    outcome?.trim(),
  ]);
  expect(attempts).toEqual([
    ['1', 'no answer'],
    ['2', 'no answer'],
    ['3', 'accepted'],
  ]);
  expect((await shown.run('item', item)).out).toMatch(/attempt 1 .*no answer\nattempt 2 .*no answer\nattempt 3 .*accepted/);
});

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

describe('what is known of the use of a login', () => {
  const sees = async (path: string): Promise<string> => (await browser.get(path)).text;

  it('is when it last got in, and last picked a document up; and it goes with the login', async () => {
    const addErp = () => world.administer((on) => addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [] }));
    await addErp();
    await world.administer((on) => addLoginHome(on, 'erp', 'acme-ab', ''));
    await world.gateway().refreshAccounts();
    await browser.login('looker');
    expect(await sees('/login-of?id=erp')).not.toContain('<dt>last');

    writeFileSync(join(world.data, 'homes', 'acme-ab', 'outbox', 'in.xml'), invoice({ id: 'F-9' }));
    const client = await connect({ port: world.gateway().sftp.port, knownHosts: '', login: 'erp' });
    const sftp = await openSftp(client);
    await called<Buffer>((callback) => sftp.readFile('/outbox/in.xml', callback));
    await until('both to be known', async () => /last login<.*last pick-up</s.test(await sees('/login-of?id=erp')));
    expect(await sees('/login-of?id=erp')).toMatch(/<dt>last login<\/dt><dd><time .*<\/time> from 127\.0\.0\.1<\/dd>/);
    for (const path of ['/logins', '/accounts']) expect(await sees(path)).toMatch(/data-name="last pick-up"><time/);
    expect(await sees('/account?id=acme-ab')).toMatch(/<dt>last pick-up<\/dt><dd><time/);
    expect((await page.run('login', 'show', 'erp')).out).toMatch(/last login +20.* from 127\.0\.0\.1\nlast pick-up +20/);
    expect((await page.run('account', 'list')).out).toMatch(/acme-ab.*\t20\d\d-[-\d]+T/);

    client.end();
    await page.run('login', 'remove', 'erp');
    await addErp();
    expect(await sees('/login-of?id=erp')).not.toContain('<dt>last');
    expect(await sees('/account?id=acme-ab')).not.toContain('last pick-up');
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

it.each(['text', 'csv', 'ubl'])(
  'shows what is wrong beside its lines also of an account whose receipts are %s, and when they are gone',
  async (receipts) => {
    const own = await startWorld(scripted(), { settings: { validate: 'local' } });
    const shown = (await startPage(own)).browser();
    await shown.login('actor');
    await shown.act('change-account', 'acme-ab', { receipts });
    await own.gateway().refreshAccounts();
    const wrong = Buffer.from(invoice({ id: 'F-9' }))
      .toString()
      .replace('<cbc:IdentificationCode>SE', '<cbc:IdentificationCode>SW');
    const item = await own.drop('acme-ab', 'wrong.xml', Buffer.from(wrong));
    await until('its receipt', () => own.files('acme-ab', 'receipts').length === 1);
    const seen = async (): Promise<string> => (await shown.get(`/document?kind=dropped&id=${item}`)).text;
    expect(await seen()).toMatch(/judged again.*BR-CL-14.*<span>line \d+<\/span>.*SW/s);
    for (const name of own.files('acme-ab', 'receipts')) rmSync(join(own.data, 'homes', 'acme-ab', 'receipts', name));
    expect(await seen()).toMatch(/judged again.*BR-CL-14/s);
    for (const name of own.files('acme-ab', 'refused')) rmSync(join(own.data, 'homes', 'acme-ab', 'refused', name));
    expect(await seen()).not.toContain('What is wrong with it');
  },
);
