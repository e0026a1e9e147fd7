// The page by the keyboard alone, in Chromium: on a desk by Tab and Enter, on a narrow screen with every kind of field.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticator } from '../support/authenticator.ts';
import { haveChromium, openWindow, startChromium } from '../support/chromium.ts';
import { invoice } from '../support/documents.ts';
import { ed25519Pair } from '../support/keys.ts';
import { OPERATOR_PASSWORD } from '../support/page.ts';
import { heading, shown } from './hand.ts';
import { goTo, open, tabTo, typeInto } from './keys.ts';
import { COMPANY, LOGIN, startStage } from './stage.ts';

let chrome: Browser;

async function findByText(page: Page): Promise<void> {
  await goTo(page, 'Find');
  await typeInto(page, 'Number, file, company, address or receipt', 'F-2119');
  await goTo(page, 'Find');
  await goTo(page, 'Invoice F-2119');
  expect(await heading(page)).toBe('Invoice F-2119 refused');
}

async function validate(page: Page): Promise<void> {
  await goTo(page, 'Validate');
  // Before the stops on the way: the browser takes keys at once, and the wish to answer its choosers a little later.
  const choosing = page.waitForEvent('filechooser');
  await tabTo(page, 'A document in XML or JSON: choose a file, or drop one here');
  await page.keyboard.press('Enter');
  await (await choosing).setFiles({ name: 'draft.xml', mimeType: 'text/xml', buffer: Buffer.from(invoice()) });
  await goTo(page, 'Validate');
  expect(await shown(page)).toMatch(/draft\.xml.*Nothing is wrong with it/s);
}

async function addKey(page: Page): Promise<void> {
  await goTo(page, 'Logins');
  await goTo(page, LOGIN);
  await goTo(page, 'Add a key');
  await tabTo(page, 'Public key, as in authorized_keys');
  await page.keyboard.type(ed25519Pair().public);
  await goTo(page, 'Add a key');
  expect(await shown(page)).toMatch(/Keys\s+ssh-ed25519 /);
}

async function openDetails(page: Page): Promise<void> {
  await goTo(page, 'Audit');
  await tabTo(page, 'before and after');
  expect(await page.locator('details[open]').count()).toBe(0);
  await page.keyboard.press('Enter');
  expect(await page.locator('details[open] pre').last().innerText()).toContain('ssh-ed25519');
}

describe.skipIf(!haveChromium())('the keyboard alone', () => {
  beforeAll(async () => {
    chrome = await startChromium();
  });
  afterAll(() => chrome.close());

  it('logs in by the code of an authenticator, finds, validates, adds a key and opens what is folded, on a narrow screen', async () => {
    const { world, page: test } = await startStage();
    const { codeAt } = authenticator((await test.run('operator', 'set', 'actor', '--totp')).out);
    const { page, complaints } = await openWindow(chrome, test, { viewport: { width: 360, height: 640 } });
    await open(page, '/');
    await typeInto(page, 'Operator', 'actor');
    await page.keyboard.press('Tab');
    await typeInto(page, 'Password', OPERATOR_PASSWORD);
    await page.keyboard.press('Tab');
    await typeInto(page, 'Code of the authenticator, if one is asked of you', codeAt(world.clock.now()));
    await goTo(page, 'Log in');
    expect(await heading(page)).toBe('Overview');
    await findByText(page);
    await validate(page);
    await addKey(page);
    await openDetails(page);
    expect(complaints).toEqual([]);
  });

  it('logs in and acts by the keys Tab and Enter, and sees at each step where it is', async () => {
    const { world, page: test } = await startStage();
    const { page, complaints } = await openWindow(chrome, test, { viewport: { width: 1_280, height: 700 } });
    await open(page, '/');
    await page.keyboard.type('actor');
    await page.keyboard.press('Tab');
    await page.keyboard.type(OPERATOR_PASSWORD);
    await goTo(page, 'Log in');
    expect(await heading(page)).toBe('Overview');
    const ways = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(await goTo(page, 'Held')).toEqual(['Skip to the content', ...ways, 'Log out', 'Held']);
    await goTo(page, 'Invoice F-2109');
    await goTo(page, 'Cancel');
    await goTo(page, 'Cancel');
    await world.inTime('its receipt', () => world.stages(COMPANY, 'F-2109.xml').includes('cancelled'));
    await goTo(page, 'Skip to the content');
    await goTo(page, COMPANY);
    expect(await heading(page)).toContain(COMPANY);
    await goTo(page, 'Log out');
    expect([await heading(page), complaints]).toEqual(['Log in', []]);
  });
});
