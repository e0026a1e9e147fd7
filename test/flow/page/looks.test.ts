// What an operator sees on the page, by HTTP as a browser speaks it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepReject } from '#gateway/ledger/rejects.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { writeDown } from '#runtime/audit/trail.ts';
import { invoice, invoiceOfSize } from '../../support/documents.ts';
import { askApi } from '../../support/operators-api.ts';
import { type Browser, LOOP_DELAY_MS, startPage, type TestPage, tokenIn, walkList } from '../../support/page.ts';
import { created, type Script, type ScriptedService } from '../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../support/sftp-server.ts';
import { twoDocuments } from '../../support/two-documents.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World<ScriptedService>;
let page: TestPage;
let sent: string;
let refused: string;
let browser: Browser;

beforeEach(async () => {
  ({ world, page, sent, refused, browser } = await twoDocuments());
});

/** So many pass, each noted. */
async function minutes(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    world.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

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
