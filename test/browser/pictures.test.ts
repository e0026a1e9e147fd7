// Pictures of the page for the documents: `npm run page:pictures` writes them into docs/pictures; otherwise it is only seen that they can be taken.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { haveChromium, openWindow, startChromium } from '../support/chromium.ts';
import { invoice } from '../support/documents.ts';
import { FAULTS } from '../support/stand-in/manners.ts';
import { until } from '../support/until.ts';
import { COMPANY, type Stage, startStage } from './stage.ts';

const FOLDER = process.env.DROPGATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'dropgate-pictures-'));
/** They are loaded with the documents that show them. */
const BYTES_MAX = 60_000;
const MINUTE_MS = 60_000;
const LATE = 'F-2120.xml';

/** The service is away for a while: one document is delayed by that, and two of a later outage still wait. Returns the one that was delayed. */
async function goAwayTwice({ world }: Stage): Promise<string> {
  const { manners } = world.service;
  manners.fault = ({ method }) => (method === 'POST' ? FAULTS.down : undefined);
  const item = await world.drop(COMPANY, LATE, invoice({ id: 'F-2120' }));
  await world.pass(9 * MINUTE_MS);
  manners.fault = () => undefined;
  await world.inTime('it to be accepted', () => world.stages(COMPANY, LATE).includes('accepted'), MINUTE_MS);
  manners.fault = ({ method }) => (method === 'POST' ? FAULTS.down : undefined);
  for (const id of ['F-2121', 'F-2122']) await world.drop(COMPANY, `${id}.xml`, invoice({ id }));
  await world.pass(12 * MINUTE_MS);
  return item;
}

interface Picture {
  readonly address: string;
  /** What stands at its upper edge; the head of the page when left out. */
  readonly from?: string;
  readonly height: number;
}

const picturesOf = ({ refused }: Stage, late: string): Readonly<Record<string, Picture>> => ({
  overview: { address: '/', height: 600 },
  find: { address: '/find', height: 620 },
  findings: { address: `/document?kind=dropped&id=${refused}`, height: 560 },
  timeline: { address: `/document?kind=dropped&id=${late}`, from: '.timeline', height: 560 },
});

/** As WebP, which playwright does not offer: a PNG of so much text is three times as large. Returns its bytes. */
async function take(page: Page, name: string, { address, from, height }: Picture): Promise<number> {
  await page.setViewportSize({ width: 1_200, height });
  await page.goto(address);
  if (from !== undefined) await page.evaluate(`document.querySelector('${from}').closest('section').scrollIntoView()`);
  const devtools = await page.context().newCDPSession(page);
  // A browser without a screen now and then has drawn nothing yet, and refuses.
  const shot = () => devtools.send('Page.captureScreenshot', { format: 'webp', quality: 70 }).catch(() => undefined);
  const { data } = await until(`a picture of ${name}`, shot);
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(FOLDER, `page-${name}.webp`), bytes);
  return bytes.length;
}

describe.skipIf(!haveChromium())('the pictures in the documents', () => {
  it('are taken of what a day brings, and are small', async () => {
    mkdirSync(FOLDER, { recursive: true });
    await using chrome = await startChromium();
    const stage = await startStage();
    const late = await goAwayTwice(stage);
    const { page, login } = await openWindow(chrome, stage.page);
    await login('actor');
    for (const [name, picture] of Object.entries(picturesOf(stage, late)))
      expect(await take(page, name, picture), name).toBeLessThan(BYTES_MAX);
  });
});
