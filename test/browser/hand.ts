// What a person does on the page with a mouse, and reads there.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });
export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();
export const shown = (page: Page) => page.getByRole('main').innerText();

/** A click returns while the page that it leads to still comes; Chromium reloads none that is half there. */
export async function reload(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.reload();
}

/** What is to be typed or chosen, by the labels of fields. */
export type Said = Readonly<Record<string, string>>;

export async function say(page: Page, said: Said): Promise<void> {
  for (const [label, value] of Object.entries(said)) {
    const choice = page.getByRole('combobox', { name: label, exact: true });
    if ((await choice.count()) > 0) await choice.selectOption(value);
    else await page.getByLabel(label, { exact: true }).fill(value);
  }
}

/** Clicks what leads to an act, reads what it will do, fills its fields, and says yes. */
export async function act(page: Page, name: string, label = name, said: Said = {}): Promise<string> {
  await link(page, name).click();
  expect(await heading(page)).toBe(`${label}?`);
  const question = await page.locator('.question').innerText();
  await say(page, said);
  await page.getByRole('button', { name: label, exact: true }).click();
  return question;
}

/** An act that shows a secret once; returns what is shown, and goes on. */
export async function actOnce(page: Page, name: string, said: Said = {}): Promise<string> {
  await act(page, name, name, said);
  const once = await shown(page);
  await link(page, 'Go on').click();
  return once;
}

/** The file that an act has the browser store. */
export async function downloaded(page: Page, name: string, said: Said = {}) {
  const coming = page.waitForEvent('download');
  const question = await act(page, name, name, said);
  return { question, file: await coming };
}
