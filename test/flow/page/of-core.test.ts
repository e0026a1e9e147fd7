// The page where a core runs, too: webhooks and what was given up, documents to the network and from it.
import { beforeEach, describe, expect, it } from 'vitest';
import { insertAccount, insertParticipant } from '#core/ledger/accounts.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { insertDifferences } from '#core/ledger/watched.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import { coreOfTest } from '../../support/core.ts';
import { invoice } from '../../support/documents.ts';
import { giveUpDocument, giveUpEvent, turnAway } from '../../support/given-up.ts';
import { MARKUP } from '../../support/markup.ts';
import { startSellerBehindHttp } from '../../support/network.ts';
import { type Browser, startPage, walkList } from '../../support/page.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const DOCUMENT = '<Invoice>\n<cbc:ID>F-9</cbc:ID>\n</Invoice>';
const byNumber = (one: string, other: string): number => Number(one) - Number(other);

let world: World;
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
  it('stand there page by page, and are found by holder and host, never by what stands in the address behind it', async () => {
    const core = await coreOfTest();
    const many = Array.from({ length: 130 }, (_, at) => `s-${String(at).padStart(3, '0')}`);
    await core.administration.ledger.write([], async (rows) => {
      for (const id of many) {
        const accountRegNo = `account-${id}`;
        await insertAccount(rows, { accountRegNo, name: '' }, 0);
        const url = `https://host-${id}.example/token-${id}`;
        await insertWebhook(rows, { scope: 'account', accountRegNo }, { id, url, types: [] }, 0);
      }
    });
    browser = (await startPage(world, core)).browser();
    await browser.login('looker');
    const listed = (query: string) => walkList(browser, `/webhooks${query}`, 'after', /data-name="subscription"><a [^>]*>([^<]+)</g);
    expect(await listed('')).toEqual(many);
    expect(await listed('?text=s-0')).toEqual(many.slice(0, 100));
    expect(await listed('?text=Host-S-017')).toEqual(['s-017']);
    expect(await listed('?text=account-s-018')).toEqual(['s-018']);
    expect(await listed('?text=token')).toEqual([]);
  });

  it('shows how they fare and what was given up, and sends it again', async () => {
    const { core, id } = await giveUpEvent();
    browser = (await startPage(world, core.test)).browser();
    await browser.login('looker');
    const listed = await browser.get('/webhooks');
    expect(listed.text).toContain(`/webhook?id=${id}`);
    const shown = await browser.get(`/webhook?id=${id}`);
    expect(shown.text).toMatch(/disabled.*gone.*The receiver answered 410\./s);
    expect(listed.text + shown.text).not.toMatch(/path-with-secret|\/act\/|The first/);

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
    const { core, instanceId } = await giveUpDocument();
    await turnAway(core, MARKUP);
    browser = (await startPage(world, core)).browser();
    await browser.login('actor');
    const path = `/transmission?id=${instanceId}`;
    expect((await browser.get(path)).text).toContain('badge bad">failed');
    expect((await browser.get('/network')).text).toMatch(/Invoice F-7.*failed/s);
    expect((await browser.get('/network?state=done')).text).not.toContain('F-7');
    const turnedAway = await browser.get('/turned-away?id=envelope-1');
    for (const { text } of [await browser.get('/network'), turnedAway]) expect(text).not.toContain('<svg');
    expect(turnedAway.text).toContain('<code>&#34;&#39;&#62;&#60;svg/onload=alert(1)&#62;</code>');
    expect(turnedAway.text).toMatch(/line 2<\/span> &#60;cbc:ID&#62;F-9/);
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

  it('shows how others find each address, page by page, those that differ first', async () => {
    const core = await coreOfTest();
    const { ledger } = core.administration;
    const numbers = Array.from({ length: 130 }, (_, at) => String(1_000 + at));
    const differing = numbers.filter((_, at) => at % 2 === 1);
    await ledger.write([], async (rows) => {
      for (const number of numbers) await insertParticipant(rows, 'seller', `9999:${number}`);
      for (const number of differing)
        await insertDifferences(
          rows,
          `9999:${number}`,
          [
            { what: 'absent', detail: '' },
            { what: 'elsewhere', detail: 'x' },
          ],
          0,
        );
    });
    browser = (await startPage(world, core)).browser();
    await browser.login('looker');
    const listed = await walkList(browser, '/network?account=seller', 'participant', />9999:(\d+)</g);
    const agreeing = numbers.filter((_, at) => at % 2 === 0);
    expect(listed).toEqual([...differing.flatMap((number) => [number, number]), ...agreeing]);
  });
});
