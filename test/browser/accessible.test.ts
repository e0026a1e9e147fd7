// Every page that an operator can come to: axe finds nothing, in light and dark, on a telephone and on a desk, and nothing stands beyond the edge.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haveChromium, openWindow, startChromium } from '../support/chromium.ts';
import { startStage } from './stage.ts';
import { walk } from './walk.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1_280, 360] as const;
const SCHEMES = ['light', 'dark'] as const;
/** Elements that reach beyond the right edge of the window, unless they stand in something that scrolls by itself. */
const BEYOND = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest('pre'))
  .map((each) => each.outerHTML.slice(0, 120))`;

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

describe.skipIf(!haveChromium())('every page', () => {
  beforeAll(async () => {
    chrome = await startChromium();
  });
  afterAll(() => chrome.close());

  it('is for everybody: axe finds nothing, and nothing stands beyond the edge', async () => {
    const stage = await startStage();
    const { page, login } = await openWindow(chrome, stage.page);
    const found = await wrongWithLogin(page);
    await login('actor');
    const documents = [stage.refused, stage.held].map((item) => `/document?kind=dropped&id=${item}`);
    const linked = await walk(page, ['/', '/find?text=88', ...documents]);
    for (const address of new Set([...linked, ...documents, '/find?text=nothing-like-this', '/document?id=none'])) {
      await page.goto(address);
      found.push(...(await wrongHere(page)));
    }
    expect(found).toEqual([]);
  });
});
