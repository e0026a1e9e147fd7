// The page over what others write: file names, documents, findings, names of parties, what clients and services say of themselves, and fields.
import { describe, expect, it } from 'vitest';
import { insertDifferences, recordLook } from '#core/ledger/watched.ts';
import { buryWaiting, insertEvent } from '#core/ledger/webhook-events.ts';
import { addPartner, updateCoreAccount } from '#core/operate/administration.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { handOver } from '../support/access-point.ts';
import { coreOfTest, type TestCore } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { giveUpDocument, turnAway } from '../support/given-up.ts';
import { escaped, MARKUP } from '../support/markup.ts';
import { answerDocument, envelopeOf, INVOICE_RESPONSE } from '../support/network-answers.ts';
import { type Answered, type Browser, startPage, type TestPage, tokenIn } from '../support/page.ts';
import { refusal, type Script } from '../support/scripted-service.ts';
import { connect, tryLogin } from '../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../support/sftp-server.ts';
import { until } from '../support/until.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld, type World, type WorldOptions } from '../support/world/world.ts';

/** As it stands on a page that takes it for a text. */
const AS_TEXT = '&#34;&#39;&#62;&#60;svg/onload=alert(1)&#62;';

let world: World;
let page: TestPage;
let browser: Browser;

const refusing: Script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [MARKUP] }) : { status: 204 });

async function start(options: WorldOptions = {}, core?: TestCore): Promise<void> {
  world = await startWorld(scripted(refusing), options);
  page = await startPage(world, core);
  browser = page.browser();
  await browser.login('actor');
}

async function dropped(name: string, bytes: Uint8Array | string = invoice()): Promise<string> {
  const receipts = world.files('acme-ab', 'receipts').length;
  const item = await world.drop('acme-ab', name, bytes);
  await until('its receipt', () => world.files('acme-ab', 'receipts').length > receipts);
  return item;
}

function expectNoMarkup({ text }: Answered): void {
  expect(text).not.toMatch(/<svg|<img src=x|onload=alert\(1\)>|<script|\u202e/);
  expect(text).not.toContain(`"'>`);
}

/** Each of these pages shows it, as a text. */
async function expectShown(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const shown = await browser.get(path);
    expectNoMarkup(shown);
    expect(shown.text, path).toContain(AS_TEXT);
  }
}

/** By none that leads elsewhere, and in one header. */
function expectHarmlessName(headers: Headers): void {
  const disposition = headers.get('content-disposition');
  expect(disposition).toMatch(/^attachment; filename="document"; filename\*=UTF-8''[\w.%-]+$/);
  expect(disposition).not.toMatch(/"evil|%2F|%5C|\//i);
}

describe('what others write', () => {
  it('is text: file names, document ids, findings, and what somebody looks for', async () => {
    await start();
    const names = [`${MARKUP.replaceAll('/', '_')}.xml`, '<img src=x>.txt', '\u202egnp.xml', '&lt;b&gt;.xml'];
    const items = [];
    for (const name of names) items.push(await dropped(name, invoice({ id: `${MARKUP}${name}` })));
    const query = encodeURIComponent(MARKUP);
    const paths = [
      '/',
      '/find',
      `/find?text=${query}`,
      `/find?text=xml&account=${query}&state=${query}`,
      `/login?next=/find?text=${query}`,
      '/audit',
      `/accounts?text=${query}`,
      `/account?id=${query}`,
      `/act/${query}`,
      ...items.flatMap((item) => [`/document?kind=dropped&id=${item}`, `/act/cancel?id=${item}`]),
      ...['disable-account', 'redeliver', 'enable-login'].map((act) => `/act/${act}?id=${query}`),
    ];
    await browser.act('disable-account', MARKUP);
    for (const path of paths) expectNoMarkup(await browser.get(path));
    expect((await browser.get('/find')).text).toContain('&#60;img src=x&#62;.txt');
    expect((await browser.get('/find')).text).toContain('&#38;lt;b&#38;gt;.xml');
  });

  it('is text: names of parties beside a finding, and the line at which reading ended', async () => {
    await start({ settings: { validate: 'local' } });
    const raw = `<![CDATA[${MARKUP}]]>`;
    const text = Buffer.from(invoice()).toString();
    const wrong = text
      .replaceAll('Northern Paper Supplies AB', raw)
      .replace(
        /(<cbc:IdentificationCode>)SE(.*?<.cbc:RegistrationName>)/s,
        (_, element: string, rest: string) => `${element}SW${rest.replaceAll('\n', '')}`,
      );
    const items = [await dropped('wrong.xml', wrong), await dropped('broken.xml', text.replace('<cbc:Note>', MARKUP))];
    await expectShown(items.map((item) => `/document?kind=dropped&id=${item}`));
  });

  it('is text: how a client calls itself and its login', async () => {
    await start();
    await world.administer((on) => addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [] }));
    await world.administer((on) => addLoginHome(on, 'erp', 'acme-ab', ''));
    await world.gateway().refreshAccounts();
    const door = { port: world.gateway().sftp.port, knownHosts: '' };
    await connect(door, { ident: MARKUP });
    await expectShown(['/connections']);
    expect(await tryLogin({ ...door, login: MARKUP }, { ident: MARKUP, password: 'wrong' })).not.toBe('in');
    const places = async () => (await browser.get('/connections')).text.split(AS_TEXT).length - 1;
    // The client that is there, and of the one that was refused its login and itself.
    await until('the refusal', async () => (await places()) === 3);
    expectNoMarkup(await browser.get('/connections'));
  });

  it('leads a download nowhere, and writes no header', async () => {
    await start();
    const item = await dropped(`x\\..\\..\\x"; filename="evil.xml`);
    const { headers, status } = await browser.act('download', item);
    expect(status).toBe(200);
    expectHarmlessName(headers);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    const token = tokenIn((await browser.get('/')).text);
    for (const id of [`${item}/../../../keys/secret.key`, `${item}/../accepted/x`, '/etc/passwd', '', `${item}/${MARKUP}`])
      for (const act of ['download-receipt', 'download-received'])
        expect((await browser.post(`/act/${act}`, { id, token })).status).toBeOneOf([400, 404]);
    for (const id of ['../../keys/secret.key', '/etc/passwd', '..', '%2e%2e'])
      expect((await browser.post('/act/download', { id, token })).status).toBeOneOf([400, 404]);
  });
});

/** A core in whose ledger it stands wherever others may have written, and the pages that show it. */
async function writtenCore(): Promise<{ core: TestCore; paths: string[] }> {
  const { core, instanceId, webhook } = await giveUpDocument(MARKUP, MARKUP);
  const { administration } = core;
  const turnedAway = await turnAway(core, MARKUP);
  const said = escaped(MARKUP);
  const answer = answerDocument({ customization: INVOICE_RESPONSE, code: 'AB', reference: said, reason: said });
  const between = { instanceId: '7f0a6b7e-0000-4000-8000-000000000001', sender: BUYER, receiver: SELLER };
  expect((await handOver(core.core.url, envelopeOf(answer, between))).status).toBe(200);
  await addPartner(administration, { partnerRegNo: 'firm', name: MARKUP });
  await updateCoreAccount(administration, 'seller', { name: MARKUP });
  await administration.ledger.write([], async (rows) => {
    const nowMs = administration.clock.now();
    await insertEvent(rows, { eventId: 'event-1', webhookId: webhook, type: 'document_delivery', body: '{}' }, nowMs);
    await buryWaiting(rows, webhook, MARKUP, 1, nowMs);
    await recordLook(rows, SELLER, { nextLookAt: nowMs, failures: 1, failingSince: nowMs, reason: MARKUP });
    await insertDifferences(rows, SELLER, [{ what: MARKUP, detail: MARKUP }], nowMs);
  });
  const parties = [
    '/accounts',
    '/account?id=seller',
    '/act/change-account?id=seller',
    '/partners',
    '/partner?id=firm',
    '/act/change-partner?id=firm',
  ];
  return {
    core,
    paths: ['/network', `/transmission?id=${instanceId}`, `/turned-away?id=${turnedAway}`, `/webhook?id=${webhook}`, ...parties],
  };
}

describe('what a core shows', () => {
  it('is text: documents, findings, reasons and answers, and names of accounts and partners', async () => {
    const { core, paths } = await writtenCore();
    await start({}, core);
    await expectShown(paths);
    expectNoMarkup(await browser.get('/'));
  });

  it('leads a download of what was turned away nowhere', async () => {
    const core = await coreOfTest();
    await start({}, core);
    const id = await turnAway(core, 'T-1', `../..\\x"; filename="evil`);
    const { headers, status } = await browser.act('download-turned-away', id);
    expect(status).toBe(200);
    expectHarmlessName(headers);
    const token = tokenIn((await browser.get('/')).text);
    for (const wrong of ['../../keys/secret.key', '/etc/passwd', '..', `${id}/../envelope-1`, MARKUP])
      expect((await browser.post('/act/download-turned-away', { id: wrong, token })).status).toBe(404);
  });
});

describe('what is said in fields', () => {
  it('is text, and no secret of it is written down', async () => {
    await start();
    await page.run('login', 'add', 'erp');
    const fields = {
      account: MARKUP,
      folder: MARKUP,
      publicKeys: MARKUP,
      allow: MARKUP,
      expires: MARKUP,
      homeMib: '-1',
      apiKey: 'key-of-the-service',
      accountRegNo: MARKUP,
    };
    for (const act of ['let-see', 'add-key', 'change-rules', 'add-account', 'add-partner', 'link-account', 'change-account']) {
      const { status, text } = await browser.act(act, 'erp', fields);
      expect([400, 403, 404, 409], act).toContain(status);
      expect(text).not.toContain('<svg');
    }
    const { text } = await browser.get('/audit');
    expect(text).not.toMatch(/<svg|key-of-the-service/);
    expect(text).toContain('account add');
  });

  it('a password that is made up is shown once, and kept by no cache', async () => {
    await start();
    await page.run('login', 'add', 'erp');
    const { text, headers } = await browser.act('set-password', 'erp');
    const [, password = ''] = /<dt>password<\/dt><dd><code>(\w+)<\/code>/.exec(text) ?? [];
    expect(password).toHaveLength(24);
    expect(headers.get('cache-control')).toBe('no-store');
    for (const path of ['/login-of?id=erp', '/audit', '/act/set-password?id=erp'])
      expect((await browser.get(path)).text).not.toContain(password);
    expect(page.log.join('')).not.toContain(password);
  });
});
