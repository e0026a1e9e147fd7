// Archive and audit trail on the page: what there is of them, and that both are verified by a button.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { invoice } from '../../support/documents.ts';
import { type Browser, startPage, type TestPage } from '../../support/page.ts';
import { standIn } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const DAY_MS = 86_400_000;

let world: World;
let page: TestPage;
let browser: Browser;

async function start(settings: Parameters<typeof startWorld>[1]): Promise<void> {
  world = await startWorld(standIn(), settings);
  page = await startPage(world);
  browser = page.browser();
  await browser.login('looker');
}

describe('the archive', () => {
  let day: string;
  const files = (...below: string[]): string => join(world.data, 'archive', 'acme-ab', day, ...below);

  /** A day with an invoice is closed. */
  beforeEach(async () => {
    await start({ settings: { archive: 30 * DAY_MS } });
    await world.drop('acme-ab', 'one.xml', invoice({ id: 'F-1' }));
    await world.inTime('its receipt', () => world.stages('acme-ab', 'one.xml').includes('accepted'));
    day = new Date(world.clock.now()).toISOString().slice(0, 10);
    await world.inTime('the day to be closed', () => readdirSync(files()).includes('manifest.json'), DAY_MS / 24);
    await browser.login('looker');
  });

  it('stands there by account, with its days', async () => {
    const { text } = await browser.get('/archive');
    expect(text).toMatch(new RegExp(`>acme-ab</a>.*"days">1<.*"from">${day}<.*"to">${day}<.*"closed up to">${day}<`, 's'));
    expect((await browser.get('/archive?text=globex')).text).toContain('No account has an archive');
    expect((await page.run('archive', 'list')).out).toBe(`acme-ab\t1\t${day}\t${day}\t${day}`);
  });

  it('is verified, of one account or of all, also by an operator who may only look, and says what differs', async () => {
    expect((await browser.get('/act/verify-archive?id=acme-ab')).text).toContain('of account acme-ab');
    for (const id of ['', 'acme-ab'])
      expect((await browser.act('verify-archive', id)).text).toMatch(
        /well.*The archive is as it was: 1 account, 1 closed day, \d+ files\./s,
      );
    const [original = ''] = readdirSync(files('sent'));
    writeFileSync(files('sent', original), '<Invoice/>');
    writeFileSync(files('<b>.xml'), '');
    const { text } = await browser.act('verify-archive', '');
    expect(text).toContain('It is not as it was when its days were closed.');
    expect(text).toMatch(new RegExp(`>changed<.*>acme-ab</a>.*${day}.*sent/${original}`, 's'));
    expect(text).toMatch(/>added<.*&#60;b&#62;\.xml/s);
    expect((await browser.act('verify-archive', 'nobody')).status).toBe(404);
    await world.addAccount('globex-ab', 'another key');
    expect((await browser.act('verify-archive', 'globex-ab')).text).toContain('Account globex-ab has no archive.');
  });
});

it('the audit trail is verified, and says which line is broken', async () => {
  await start({});
  await browser.login('actor');
  for (const verb of ['disable', 'enable']) await browser.act(`${verb}-account`, 'acme-ab');
  await browser.login('looker');
  expect((await browser.get('/audit')).text).toContain('/act/verify-audit');
  expect((await browser.act('verify-audit', '')).text).toMatch(/The audit trail is whole: 2 lines, the last one is line 2/);
  const path = join(world.data, 'audit', '0000000001.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('account disable', 'account dismiss'));
  expect((await browser.act('verify-audit', '')).text).toMatch(/class="failed" role="alert">Line 1 of audit/);
});
