// Debian's Chromium by playwright-core, for tests of the page. Whatever its console complains of, and whatever is loaded from elsewhere, is kept.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { neededPackage } from './needed.ts';
import { OPERATOR_PASSWORD, type TestPage } from './page.ts';
import { patienceMs } from './patience.ts';

const CHROMIUM = '/usr/bin/chromium';

export const haveChromium = (): boolean => neededPackage('chromium', existsSync(CHROMIUM), 'chromium');

/** The tests run as root, too, for whom Chromium has no sandbox. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false, args: ['--force-color-profile=srgb', '--hide-scrollbars'] });
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained of: scripts, styles and forms that the policy of the page forbids are among it. */
  readonly complaints: string[];
  /** Fills the form as a person does. */
  login(operator: string): Promise<void>;
}

/** A window of its own, which knows no cookie; it is closed with the test. */
export async function openWindow(chrome: Browser, { url }: Pick<TestPage, 'url'>, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await chrome.newContext({ baseURL: url, viewport: { width: 1_280, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(3 * patienceMs());
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (said) => {
    if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`asks for ${request.url()}`);
  });
  return {
    context,
    page,
    complaints,
    async login(operator) {
      await page.goto('/');
      await page.getByLabel('Operator').fill(operator);
      await page.getByLabel('Password').fill(OPERATOR_PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    },
  };
}
