// Who is let in to the page, by HTTP as a browser speaks it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { setTotp } from '#gateway/operate/second-factor.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { authenticator } from '../../support/authenticator.ts';
import { askApi } from '../../support/operators-api.ts';
import { type Browser, OPERATOR_PASSWORD, type TestPage } from '../../support/page.ts';
import type { ScriptedService } from '../../support/scripted-service.ts';
import { twoDocuments } from '../../support/two-documents.ts';
import type { World } from '../../support/world/world.ts';

let world: World<ScriptedService>;
let page: TestPage;
let browser: Browser;

beforeEach(async () => {
  ({ world, page, browser } = await twoDocuments());
});

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
