// The API of operators: without a password, with a cookie, with another role, from another site, by guessing, and for what stays on the machine.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { OPERATIONS, type OperationName } from '#operations/table.ts';
import { OFFERED } from '#page/offered.ts';
import { askApi, describedApi } from '../support/operators-api.ts';
import { startPage, type TestPage } from '../support/page.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

const DISABLED = { accountRegNo: 'acme-ab' };
const STAYING = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => !OFFERED.includes(name));

let world: World;
let page: TestPage;
beforeEach(async () => {
  world = await startWorld(scripted());
  page = await startPage(world);
});

/** Nothing was ordered: each order would be written down. */
const nothingDone = (): boolean => !existsSync(join(world.data, 'audit'));

it.each(['', 'Basic', 'Basic !!', 'Bearer actor', 'Basic YWN0b3I=', 'Basic Og=='])('opens nothing to %j', async (authorization) => {
  const headers = { authorization };
  for (const answer of [await askApi(page.url, 'account.disable', DISABLED, { headers }), await describedApi(page.url, { headers })]) {
    expect(answer.status).toBe(401);
    // A browser that is asked for a password would send it along with what other sites have it do.
    expect(answer.headers.get('www-authenticate')).toBeNull();
  }
  expect(nothingDone()).toBe(true);
});

it('is opened by no session of the page', async () => {
  const browser = page.browser();
  await browser.login('actor');
  const headers = { cookie: browser.cookie, origin: page.url, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(`${page.url}/api/account.disable`, { method: 'POST', headers, body: JSON.stringify(DISABLED) });
  expect(answer.status).toBe(401);
  expect(nothingDone()).toBe(true);
});

it('lets who may look do nothing', async () => {
  for (const name of OFFERED.filter((each) => OPERATIONS[each].kind === 'acts'))
    expect(await askApi(page.url, name, DISABLED, { operator: 'looker' })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(nothingDone()).toBe(true);
});

it('has no operation of those that stay on the machine, and none of another name', async () => {
  expect(STAYING).toEqual(expect.arrayContaining(['export', 'account.export', 'backup', 'restore', 'recover', 'operator.add']));
  for (const name of ['__proto__', 'constructor', 'toString', 'account.list%2F..', ...STAYING])
    expect((await askApi(page.url, name)).status, name).toBe(404);
  expect(nothingDone()).toBe(true);
});

it('does nothing that a browser is made to ask by another site, or as a form', async () => {
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: page.url, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) expect((await askApi(page.url, 'account.disable', DISABLED, { headers })).status).toBe(403);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect((await askApi(page.url, 'account.disable', DISABLED, { headers: { 'content-type': type } })).status).toBe(415);
  expect(nothingDone()).toBe(true);
});

it('is closed to an address that guesses, as the page is, together', async () => {
  for (let guess = 0; guess < 3; guess++)
    expect((await askApi(page.url, 'status', {}, { password: `guess number ${guess}` })).status).toBe(401);
  expect(await askApi(page.url, 'account.list')).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
  expect((await page.browser().login('actor')).status).toBe(429);
  world.clock.advance(60_000);
  expect((await askApi(page.url, 'account.list')).status).toBe(200);
});

it('is closed to an operator who is disabled or has another password, at once', async () => {
  await page.run('operator', 'disable', 'actor');
  expect((await askApi(page.url, 'account.list')).status).toBe(401);
  await page.run('operator', 'set-password', 'looker');
  expect((await askApi(page.url, 'account.list', {}, { operator: 'looker' })).status).toBe(401);
});

it('reads no body of any size, and none of who has no password', async () => {
  const long = 'x'.repeat(5 * 2 ** 20);
  expect((await askApi(page.url, 'validate', {}, { raw: long, headers: { authorization: '' } })).status).toBe(401);
  expect(await askApi(page.url, 'account.list', {}, { raw: long.repeat(6) })).toMatchObject({
    status: 413,
    body: { code: 'too-large' },
  });
});
