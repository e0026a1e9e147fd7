// The page: without login, with another role, from another site, with a stolen session, by guessing.
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryWindows } from '#engines/memory/windows.ts';
import { ACTS as PAGE_ACTS } from '#page/acts.ts';
import { openGate } from '#page/gate.ts';
import { PAGES } from '#page/page.ts';
import { WINDOW_SECONDS } from '#runtime/auth/ban-list.ts';
import { openLog } from '#runtime/log.ts';
import { invoice } from '../support/documents.ts';
import { MARKUP } from '../support/markup.ts';
import { type Answered, type Browser, OPERATOR_PASSWORD, startPage, type TestPage, tokenIn } from '../support/page.ts';
import { until } from '../support/until.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

const PLACES = Object.keys(PAGES);
const ACTS = Object.keys(PAGE_ACTS);
/** Handed to those who may look, too: there is nothing in it that they do not see. */
const FOR_ALL = Object.entries(PAGE_ACTS).flatMap(([name, { isForAll }]) => (isForAll ? [name] : []));

let world: World;
let page: TestPage;
let browser: Browser;

beforeEach(async () => {
  world = await startWorld(scripted());
  page = await startPage(world);
  browser = page.browser();
});

/** Nothing was ordered: each order would be written down. */
const nothingDone = (): boolean => !existsSync(join(world.data, 'audit'));

describe('without login', () => {
  const COOKIES = [
    '',
    'dropgate=',
    'dropgate=actor~1~1~AAAA',
    'dropgate=~~~',
    'dropgate=actor',
    'dropgate=%00',
    'dropgate=__proto__~1~1~x',
  ];

  it.each(COOKIES)('nothing is shown, and nothing done, with the cookie %j', async (cookie) => {
    const item = await world.drop('acme-ab', 'secret.xml', invoice());
    const shown = [...PLACES.map((path) => `${path}?id=${item}`), ...ACTS.map((act) => `/act/${act}?id=${item}`)];
    for (const path of shown) {
      browser.cookie = cookie;
      expect(await browser.get(path)).toMatchObject({ status: 303, text: '' });
    }
    for (const act of ACTS) {
      browser.cookie = cookie;
      expect(await browser.post(`/act/${act}`, { id: item, token: '' })).toMatchObject({ status: 303, text: '' });
    }
    expect(nothingDone()).toBe(true);
  });

  it('a session of one operator is none of another', async () => {
    await browser.login('looker');
    const [name, ...rest] = browser.cookie.split('~');
    expect(name).toBe('dropgate=looker');
    browser.cookie = ['dropgate=actor', ...rest].join('~');
    expect((await browser.get('/')).status).toBe(303);
  });

  it('the time in a cookie cannot be changed', async () => {
    await browser.login('looker');
    const [name, , seen, mac] = browser.cookie.split('~');
    browser.cookie = [name, String(Date.now() * 2), seen, mac].join('~');
    expect((await browser.get('/')).status).toBe(303);
  });

  it.each([
    '//evil.example/',
    'https://evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/act/cancel',
    '/metrics',
    '\nhttps://evil.example',
  ])('a login does not lead to %j', async (next) => {
    const login = await browser.post('/login', { operator: 'looker', password: OPERATOR_PASSWORD, next });
    expect(login).toMatchObject({ status: 303, location: '/' });
  });
});

describe('a file that is shown', () => {
  it('is not read of who has not logged in, nor by another site, nor without the token of the session', async () => {
    const long = Buffer.alloc(7 * 2 ** 20, '<');
    expect(await browser.show('a.xml', long, 'x')).toMatchObject({ status: 303, location: '/login' });
    await browser.login('looker');
    const token = tokenIn((await browser.get('/validate')).text);
    expect((await browser.show('a.xml', '<a/>', 'x')).status).toBe(403);
    expect((await browser.show('a.xml', '<a/>', token, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.show('a.xml', '<a/>', token)).status).toBe(200);
  });

  it('is bounded, and harms nobody', async () => {
    await browser.login('looker');
    const token = tokenIn((await browser.get('/validate')).text);
    expect((await browser.show('a.xml', Buffer.alloc(21 * 2 ** 20, '<'), token)).status).toBe(413);
    const nested = '<a>'.repeat(1_000_000);
    const entities = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>';
    for (const bytes of [nested, entities, `<a>${MARKUP}</a>`, `{"${MARKUP.replaceAll('"', '')}": 1}`, Buffer.alloc(2 ** 20)]) {
      const { status, text } = await browser.show(`${MARKUP}.xml`, bytes, token);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<svg|root:/);
    }
    const headers = { origin: page.url, 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of ['', '--x', '--x\r\n\r\n--x--', `--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n--x--`])
      expect((await browser.raw('/validate', body, headers)).status).toBe(400);
  });
});

describe('with the role to look', () => {
  it('nothing can be done, with a token of its own session', async () => {
    const item = await world.drop('acme-ab', 'a.xml', invoice());
    await browser.login('looker');
    const token = tokenIn((await browser.get('/')).text);
    expect(FOR_ALL).toEqual(['connection-kit', 'verify-archive', 'verify-audit']);
    for (const act of ACTS.filter((name) => !FOR_ALL.includes(name))) {
      expect((await browser.get(`/act/${act}?id=${item}`)).status).toBe(403);
      expect((await browser.post(`/act/${act}`, { id: item, token })).status).toBe(403);
    }
    expect((await browser.get(`/document?kind=dropped&id=${item}`)).text).not.toContain('/act/');
    expect(nothingDone()).toBe(true);
  });

  it('who may act no more may not from the next request on', async () => {
    await browser.login('actor');
    const token = tokenIn((await browser.get('/')).text);
    await page.run('operator', 'set', 'actor', '--role', 'look');
    expect((await browser.post('/act/disable-account', { id: 'acme-ab', token })).status).toBe(403);
  });
});

describe('from another site', () => {
  const id = 'acme-ab';
  let token: string;
  beforeEach(async () => {
    await browser.login('actor');
    token = tokenIn((await browser.get('/')).text);
  });
  const disable = (fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered> =>
    browser.post('/act/disable-account', { id, ...fields }, headers);

  it('a form does nothing: without a token, with that of another session, with another origin', async () => {
    const other = page.browser();
    await other.login('looker');
    const foreign = tokenIn((await other.get('/')).text);
    for (const given of [{}, { token: '' }, { token: foreign }, { token: `${token}x` }]) expect((await disable(given)).status).toBe(403);
    for (const origin of ['https://evil.example', 'null', page.url.replace('127.0.0.1', 'localhost')])
      expect((await disable({ token }, { origin })).status).toBe(403);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await disable({ token }, { origin: page.url, 'sec-fetch-site': site })).status).toBe(403);
    expect(nothingDone()).toBe(true);
    expect((await disable({ token })).status).toBe(303);
  });

  it('nobody is logged in or out', async () => {
    const headers = { origin: 'https://evil.example' };
    expect((await page.browser().post('/login', { operator: 'looker', password: OPERATOR_PASSWORD }, headers)).status).toBe(403);
    expect((await browser.post('/logout', { token: 'x' })).status).toBe(403);
    expect((await browser.get('/')).status).toBe(200);
  });

  it('a link does nothing', async () => {
    for (const act of ACTS) expect((await browser.get(`/act/${act}?id=${id}&token=${token}`)).status).not.toBe(303);
    expect(nothingDone()).toBe(true);
  });

  it('a name that somebody has led here is refused (DNS rebinding)', async () => {
    const status = await new Promise((resolve) => {
      const asked = request(`${page.url}/login`, { headers: { host: 'evil.example:8082' } }, (answer) =>
        resolve(answer.resume().statusCode),
      );
      asked.end();
    });
    expect(status).toBe(403);
  });

  it('the cookie is kept from scripts and other sites, and no page may be framed, cached, or run a script', async () => {
    const fresh = await page.browser().login('actor');
    expect(fresh.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    for (const path of [...PLACES, '/login']) {
      const { headers } = await browser.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|script-src|\*/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('a stolen session', () => {
  const WAYS: readonly (readonly string[])[] = [
    ['operator', 'set-password', 'actor'],
    ['operator', 'disable', 'actor'],
    ['operator', 'remove', 'actor'],
  ];

  it.each(WAYS)('ends at once by %s %s', async (...words) => {
    await browser.login('actor');
    const thief = page.browser();
    thief.cookie = browser.cookie;
    expect((await thief.get('/audit')).status).toBe(200);
    const token = tokenIn((await thief.get('/')).text);
    expect((await page.run(...words)).status).toBe(0);
    thief.cookie = browser.cookie;
    expect((await thief.get('/audit')).status).toBe(303);
    thief.cookie = browser.cookie;
    expect((await thief.post('/act/disable-account', { id: 'acme-ab', token })).status).toBe(303);
    await page.run('operator', 'enable', 'actor');
    thief.cookie = browser.cookie;
    expect((await thief.get('/audit')).status).toBe(303);
  });

  it('ends when its owner logs out, in each browser', async () => {
    await browser.login('actor');
    const stolen = browser.cookie;
    await browser.post('/logout', { token: tokenIn((await browser.get('/')).text) });
    browser.cookie = stolen;
    expect((await browser.get('/audit')).status).toBe(303);
  });

  it('is none for a new operator of the same name', async () => {
    await browser.login('actor');
    const stolen = browser.cookie;
    await page.run('operator', 'remove', 'actor');
    await page.run('operator', 'add', 'actor', '--role', 'act');
    browser.cookie = stolen;
    expect((await browser.get('/audit')).status).toBe(303);
  });
});

describe('guessing', () => {
  it('is stopped after a few wrong passwords, also many at once, and the right one does not help then', async () => {
    const guesses = Array.from({ length: 20 }, (_, at) => page.browser().login('actor', `guess number ${at}`));
    const answers = (await Promise.all(guesses)).map(({ status }) => status);
    expect(answers.filter((status) => status === 403).length).toBeLessThanOrEqual(3);
    expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(17);
    const right = await browser.login('actor');
    expect([right.status, right.headers.get('set-cookie')]).toEqual([429, null]);
    expect(page.log.filter((line) => line.includes('"admin.banned"'))).toHaveLength(1);
    world.clock.advance(60_000);
    expect((await browser.login('actor')).status).toBe(303);
  });

  it('at several nodes is as slow as at one: they count together', async () => {
    const window = memoryWindows.open('penalties', WINDOW_SECONDS);
    const { administration } = world.gateway();
    const log = openLog('info', { write: () => undefined });
    const addTogether = async (source: string, penaltyMs: number) => (await window.spend(source, penaltyMs)).points;
    const node = () => openGate(administration, administration.seal.derive('sessions'), log, addTogether);
    const [one, two] = [node(), node()];
    const guess = (at: typeof one, operator: string, password = 'a guess') => at.login('192.0.2.7', { operator, password, code: '' });
    for (let tried = 0; tried < 3; tried++) await guess(one, 'actor');
    expect(await guess(two, 'actor')).toEqual({ failed: 'wrong' });
    await until('the sum', async () => 'failed' in (await guess(two, 'looker', OPERATOR_PASSWORD)));
    expect(await guess(two, 'actor', OPERATOR_PASSWORD)).toEqual({ failed: 'banned' });
  });

  it('by others does not end the session of who is logged in', async () => {
    await browser.login('actor');
    for (let guess = 0; guess < 5; guess++) await page.browser().login('actor', 'wrong password');
    expect((await browser.get('/')).status).toBe(200);
  });

  it('a disabled operator is told what a wrong password is told', async () => {
    await page.run('operator', 'disable', 'actor');
    const [right, wrong] = [await browser.login('actor'), await page.browser().login('actor', 'wrong password')];
    expect([right.status, right.text]).toEqual([wrong.status, wrong.text]);
  });

  it('a body of any size is not read', async () => {
    expect((await browser.login('actor', 'x'.repeat(100_000))).status).toBe(413);
  });
});
