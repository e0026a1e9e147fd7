// All pages that an operator can come to by links, one of each kind.
import type { Page } from 'playwright-core';

const PLACES = `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.getAttribute('href'))`;

/** The page that an address shows, whatever it shows there. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://page');
  return `${pathname} ${searchParams.get('kind') ?? ''}`;
}

/** Goes from link to link, the nearest first, and returns an address of each page. */
export async function walk(page: Page, from: readonly string[]): Promise<string[]> {
  const known = new Map<string, string>();
  const ahead = [...from];
  for (let address = ahead.shift(); address !== undefined; address = ahead.shift()) {
    const kind = kindOf(address);
    if (known.has(kind)) continue;
    known.set(kind, address);
    await page.goto(address);
    ahead.push(...(await page.evaluate<string[]>(PLACES)));
  }
  return [...known.values()];
}
