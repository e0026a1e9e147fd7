// Every page that an operator can come to, by links and by forms: axe finds nothing, in light and dark, on a telephone and on a desk, and nothing stands beyond the edge.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPartner, linkPartner } from '#core/operate/administration.ts';
import { PAGES } from '#page/page.ts';
import { haveChromium, openWindow, startChromium } from '../support/chromium.ts';
import { invoice } from '../support/documents.ts';
import { giveUpDocument, turnAway } from '../support/given-up.ts';
import { type Said, say } from './hand.ts';
import { COMPANY, FIRM, LOGIN, type Stage, startStage } from './stage.ts';
import { walk } from './walk.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1_280, 360] as const;
const SCHEMES = ['light', 'dark'] as const;
/** Elements that reach beyond the right edge of the window, unless they stand in something that scrolls by itself. */
const BEYOND = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest('pre'))
  .map((each) => each.outerHTML.slice(0, 120))`;

const pathOf = (address: string): string => new URL(address, 'http://page').pathname;

let chrome: Browser;

async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE);
  const { violations: found } = await page.evaluate<AxeResults>('axe.run()');
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/** What is wrong with the page that is shown, in each form. */
async function wrongHere(page: Page): Promise<object[]> {
  const found: object[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate<string[]>(BEYOND);
    if (beyond.length > 0) found.push({ page: page.url(), width, beyond });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const axe = await violations(page);
      if (axe.length > 0) found.push({ page: page.url(), width, colorScheme, axe });
    }
  }
  return found;
}

/** The form as it comes, and as it comes again after what was said in it was wrong; the field of the code is there both times. */
async function wrongWithLogin(page: Page): Promise<object[]> {
  const code = page.getByRole('textbox', { name: 'Code of the authenticator' });
  await page.goto('/login');
  await code.waitFor();
  const found = await wrongHere(page);
  await page.getByLabel('Operator').fill('actor');
  await page.getByLabel('Password').fill('wrong');
  await code.fill('123456');
  found.push(...(await wrongHere(page)));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await code.waitFor();
  return [...found, ...(await wrongHere(page))];
}

/** A form that is sent, by the mouse. */
async function send(page: Page, address: string, button: string, said: Said = {}): Promise<void> {
  await page.goto(address);
  await say(page, said);
  await page.getByRole('button', { name: button, exact: true }).click();
}

async function judge(page: Page, name: string, text: string): Promise<void> {
  await page.goto('/validate');
  await page.getByLabel('choose a file').setInputFiles({ name, mimeType: 'text/xml', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Validate' }).click();
}

async function verifyChanged(page: Page, { world: { data } }: Stage): Promise<void> {
  const [day = ''] = readdirSync(join(data, 'archive', COMPANY)).sort();
  writeFileSync(join(data, 'archive', COMPANY, day, 'added.xml'), '');
  await send(page, '/act/verify-archive', 'Verify the archive');
}

/** What was sent is written down there. */
async function readAudit(page: Page): Promise<void> {
  await page.goto('/audit');
  await page.getByText('before and after').first().click();
}

/** What is shown when forms are sent, each with what stands in it. */
const SENT: readonly (readonly [said: string, post: (page: Page, stage: Stage) => Promise<void>])[] = [
  ['The audit trail is whole', (page) => send(page, '/act/verify-audit', 'Verify the audit trail')],
  [
    'BR-CL-14',
    (page) =>
      judge(page, 'draft.xml', Buffer.from(invoice()).toString().replace('<cbc:IdentificationCode>SE', '<cbc:IdentificationCode>SW')),
  ],
  ['It cannot be read', (page) => judge(page, 'table.csv', 'number;amount\nF-1;100\n')],
  ['shown this once', (page) => send(page, `/act/set-password?id=${LOGIN}`, 'Set a new password')],
  ['The archive is as it was', (page) => send(page, '/act/verify-archive', 'Verify the archive')],
  ['It is not as it was', verifyChanged],
  ['That did not work', (page) => send(page, `/act/let-see?id=${LOGIN}`, 'Let it see an account', { Account: 'nobody' })],
  ['"login":', readAudit],
];

/** Of a core as well, whose accounts have other forms than those of a service elsewhere. */
const BOTH = ['seller', COMPANY].flatMap((id) => [`/account?id=${id}`, `/act/change-account?id=${id}`, `/act/rotate-account-key?id=${id}`]);

describe.skipIf(!haveChromium())('every page', () => {
  beforeAll(async () => {
    chrome = await startChromium();
  });
  afterAll(() => chrome.close());

  it('is for everybody: axe finds nothing, and nothing stands beyond the edge', async () => {
    const { core } = await giveUpDocument();
    await turnAway(core, 'A sum is not what its lines come to.');
    await addPartner(core.administration, { partnerRegNo: FIRM, name: 'Ledger House AB' });
    await linkPartner(core.administration, FIRM, 'seller');
    const stage = await startStage(core);
    const { page, login } = await openWindow(chrome, stage.page);
    const found = await wrongWithLogin(page);
    await login('actor');
    const documents = [stage.refused, stage.held].map((item) => `/document?kind=dropped&id=${item}`);
    const linked = await walk(page, ['/', '/find?text=88', ...documents]);
    expect(linked.map(pathOf)).toEqual(expect.arrayContaining(Object.keys(PAGES)));
    for (const address of new Set([...linked, ...documents, ...BOTH, '/find?text=nothing-like-this', '/document?id=none'])) {
      await page.goto(address);
      found.push(...(await wrongHere(page)));
    }
    for (const [said, post] of SENT) {
      await post(page, stage);
      await page.getByText(said).first().waitFor();
      found.push(...(await wrongHere(page)));
    }
    expect(found).toEqual([]);
  });
});
