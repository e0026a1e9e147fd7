// The page where a core runs, too: webhooks and what was given up, documents to the network and from it.
import { beforeEach, describe, expect, it } from 'vitest';
import { insertParticipant } from '#core/ledger/accounts.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import { invoice } from '../../support/documents.ts';
import { giveUpDocument, giveUpEvent } from '../../support/given-up.ts';
import { startSellerBehindHttp } from '../../support/network.ts';
import { type Browser, startPage, walkList } from '../../support/page.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const byNumber = (one: string, other: string): number => Number(one) - Number(other);
const MARKUP = `"'><svg/onload=alert(1)>`;

let world: World;
const DOCUMENT = '<Invoice>\n<cbc:ID>F-9</cbc:ID>\n</Invoice>';
let browser: Browser;
beforeEach(async () => {
  world = await startWorld(scripted());
});

it('says where webhooks and the network are, where there is no core', async () => {
  browser = (await startPage(world)).browser();
  await browser.login('looker');
  for (const path of ['/webhooks', '/network', '/webhook?id=1', '/transmission?id=1', '/turned-away?id=1'])
    expect(await browser.get(path)).toMatchObject({ status: 200, text: expect.stringContaining('do it where the core runs') });
});

describe('webhooks', () => {
  it('shows how they fare and what was given up, and sends it again', async () => {
    const { core, id } = await giveUpEvent();
    browser = (await startPage(world, core.test)).browser();
    await browser.login('looker');
    const listed = await browser.get('/webhooks');
    expect(listed.text).toContain(`/webhook?id=${id}`);
    const shown = await browser.get(`/webhook?id=${id}`);
    expect(shown.text).toMatch(/disabled.*gone.*The receiver answered 410\./s);
    expect(listed.text + shown.text).not.toMatch(/path-with-secret|\/act\//);

    await browser.login('actor');
    expect(await browser.act('replay', id)).toMatchObject({ status: 422, text: expect.stringContaining('is disabled') });
    await browser.act('enable-webhook', id);
    expect((await browser.get(`/act/replay?id=${id}`)).text).toContain('1 event that was given up');
    expect(await browser.act('replay', id)).toMatchObject({ text: '', status: 303, location: `/webhook?id=${id}` });
    expect(await listWebhooks(core.test.administration)).toMatchObject([{ id, enabled: true, dead: 0 }]);
    await browser.act('disable-webhook', id);
    expect(await listWebhooks(core.test.administration)).toMatchObject([{ id, enabled: false }]);
  });
});

describe('the network', () => {
  it('shows what is on its way, what failed, and what was turned away; and tries again', async () => {
    const { network, core, instanceId } = await giveUpDocument();
    const finding = { rule: 'BR-CO-15', severity: 'fatal', message: MARKUP, path: '/Invoice' };
    const kept = {
      instanceId: 'envelope-1',
      accountRegNo: 'seller',
      sender: MARKUP,
      receiver: '0088:1',
      family: 'Invoice',
      documentId: MARKUP,
    };
    await core.administration.ledger.write([], (rows) =>
      insertTurnedAway(rows, { ...kept, findings: JSON.stringify([finding]), document: Buffer.from('<Invoice/>') }, network.clock.now()),
    );
    browser = (await startPage(world, core)).browser();
    await browser.login('actor');
    const path = `/transmission?id=${instanceId}`;
    expect((await browser.get(path)).text).toContain('badge bad">failed');
    expect((await browser.get('/network')).text).toMatch(/Invoice F-7.*failed/s);
    expect((await browser.get('/network?state=done')).text).not.toContain('F-7');
    const turnedAway = await browser.get('/turned-away?id=envelope-1');
    for (const { text } of [await browser.get('/network'), turnedAway]) expect(text).not.toContain('<svg');
    expect(turnedAway.text).toContain('BR-CO-15');
    expect(turnedAway.text).toContain('/act/download-turned-away?id=envelope-1');
describe('events that were given up', () => {
  it('are sent again one by one, by those who may act', async () => {
    const { core, id } = await giveUpEvent();
    browser = (await startPage(world, core.test)).browser();
    await browser.login('looker');
    expect((await browser.get(`/webhook?id=${id}`)).text).not.toContain('replay-one');
    await browser.login('actor');
    await browser.act('enable-webhook', id);
    core.clock.advance(1_000);
    await core.send('2');
    await core.settled();
    const buttons = [...(await browser.get(`/webhook?id=${id}`)).text.matchAll(/\/act\/replay-one\?id=([^"]+)"/g)];
    const [latest = '', first = ''] = buttons.map(([, each = '']) => decodeURIComponent(each));
    expect(first).not.toBe('');
    await browser.act('enable-webhook', id);
    expect((await browser.get(`/act/replay-one?${new URLSearchParams({ id: first })}`)).text).toContain('the others stay given up');
    expect(await browser.act('replay-one', first)).toMatchObject({ status: 303, location: `/webhook?id=${id}` });
    const { text } = await browser.get(`/webhook?id=${id}`);
    expect(text).toContain(new URLSearchParams({ id: latest }).toString());
    expect(text).not.toContain(new URLSearchParams({ id: first }).toString());
    expect((await browser.act('replay-one', first)).text).toContain('There is no dead letter');
  });
});
describe('the network', () => {
  it('shows what is on its way, what failed, and what was turned away; and tries again', async () => {
    const { network, core, instanceId } = await giveUpDocument();
    const finding = { rule: 'BR-CO-15', severity: 'fatal', message: MARKUP, path: '/Invoice', line: 2 };
    const kept = {
      instanceId: 'envelope-1',
      accountRegNo: 'seller',
      sender: MARKUP,
      receiver: '0088:1',
      family: 'Invoice',
      documentId: MARKUP,
    };
    await core.administration.ledger.write([], (rows) =>
      insertTurnedAway(rows, { ...kept, findings: JSON.stringify([finding]), document: Buffer.from(DOCUMENT) }, network.clock.now()),
    );
    browser = (await startPage(world, core)).browser();
    await browser.login('actor');
    const path = `/transmission?id=${instanceId}`;
    expect((await browser.get(path)).text).toContain('badge bad">failed');
    expect((await browser.get('/network')).text).toMatch(/Invoice F-7.*failed/s);
    expect((await browser.get('/network?state=done')).text).not.toContain('F-7');
    const turnedAway = await browser.get('/turned-away?id=envelope-1');
    for (const { text } of [await browser.get('/network'), turnedAway]) expect(text).not.toContain('<svg');
    expect(turnedAway.text).toMatch(/BR-CO-15.*line 2<\/span> &#60;cbc:ID&#62;F-9.*\/Invoice</s);
    expect(turnedAway.text).toContain('/act/download-turned-away?id=envelope-1');

    const { headers, text } = await browser.act('download-turned-away', 'envelope-1');
    expect([text, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      DOCUMENT,
      'application/octet-stream',
      'nosniff',
    ]);
    const { location } = await browser.act('retry', instanceId);
    expect(location).toMatch(/^\/transmission\?id=/);
    expect((await browser.get(location ?? '')).text).toContain('badge open">waiting');
  });

  it('shows each once, page by page, also where many came in one millisecond', async () => {
    const { network, ap, core } = await startSellerBehindHttp();
    ap.mode = () => 401;
    const many = Array.from({ length: 120 }, (_, at) => String(at));
    for (const id of many) await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: `F-${id}` }) });
    const findings = JSON.stringify([{ rule: 'BR-CO-15', severity: 'fatal', message: 'wrong' }]);
    const kept = { accountRegNo: 'seller', sender: '0088:2', receiver: '0088:1', family: 'Invoice', findings, document: Buffer.from('') };
    await core.administration.ledger.write([], async (rows) => {
      for (const id of many)
        await insertTurnedAway(rows, { ...kept, instanceId: `envelope-${id}`, documentId: `T-${id}` }, network.clock.now());
    });
    browser = (await startPage(world, core)).browser();
    await browser.login('looker');
    for (const [name, pattern] of [
      ['instanceId', />Invoice F-(\d+)</g],
      ['before', />Invoice T-(\d+)</g],
    ] as const) {
      const listed = await walkList(browser, '/network?account=seller', name, pattern);
      expect(listed.toSorted(byNumber)).toEqual(many);
    }
  });

  it('says of how many it shows the first ones', async () => {
    const { core, id } = await giveUpEvent();
    await core.test.administration.ledger.write([], async (rows) => {
      for (let at = 0; at < 60; at++) await insertParticipant(rows, 'seller', `0088:${at}`);
    });
    browser = (await startPage(world, core.test)).browser();
    await browser.login('looker');
    expect((await browser.get('/network')).text).toMatch(/The first 50 of 6\d\./);
    expect((await browser.get(`/webhook?id=${id}`)).text).not.toContain('The first');
  });
});
