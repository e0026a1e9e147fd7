// Going through the page by the keyboard alone; at each stop it must be seen where the keyboard is.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface Focus {
  readonly name: string;
  /** An outline, inside the window. */
  readonly isSeen: boolean;
  /** Whether it stands after the one before, as a reader goes. */
  readonly isNext: boolean;
}

const FOCUS = `(() => {
  const here = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(here);
  const { top, bottom, left, right, width, height } = here.getBoundingClientRect();
  const isInside = width > 0 && height > 0 && top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
  const isNext = !globalThis.focusBefore?.isConnected || (globalThis.focusBefore.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
  globalThis.focusBefore = here;
  return { name: (here.labels?.[0] ?? here).textContent.trim(), isSeen: isInside && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, isNext };
})()`;
/** A page's `autofocus` takes effect when it is first drawn, perhaps after its `load`: keys pressed before that go to the body. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';
const STOPS_MAX = 60;

export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.evaluate(DRAWN);
}

/** Into the field that the keyboard is at, which must have this label. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  expect(await page.evaluate<Focus>(FOCUS)).toMatchObject({ name: label, isSeen: true });
  await page.keyboard.type(text);
}

/** By Tab to what has this name. Returns the stops on the way. */
export async function tabTo(page: Page, name: string): Promise<string[]> {
  const stops: string[] = [];
  while (stops.at(-1) !== name) {
    if (stops.length === STOPS_MAX) throw new Error(`Tab does not lead to ${name}: ${stops.join(', ')}`);
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<Focus>(FOCUS);
    expect(focus).toMatchObject({ isSeen: true, isNext: true });
    stops.push(focus.name);
  }
  return stops;
}

/** There, and by Enter to the page to which it leads. Returns the stops on the way. */
export async function goTo(page: Page, name: string): Promise<string[]> {
  const stops = await tabTo(page, name);
  const gone = page.waitForEvent('framenavigated');
  await page.keyboard.press('Enter');
  await gone;
  await page.waitForLoadState();
  await page.evaluate(DRAWN);
  return stops;
}
