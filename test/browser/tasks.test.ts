// Each task of the page as a person does it in Chromium: by what is to be read and clicked, from the login to the way out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticator } from '../support/authenticator.ts';
import { haveChromium, openWindow, startChromium } from '../support/chromium.ts';
import { startDaemon } from '../support/daemon.ts';
import { invoice, SELLER } from '../support/documents.ts';
import { giveUpDocument, giveUpEvent } from '../support/given-up.ts';
import { OPERATOR_PASSWORD, startPage } from '../support/page.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld } from '../support/world/world.ts';
import { CLIENT, COMPANY, FIRM, LOGIN, type Stage, startStage } from './stage.ts';

let chrome: Browser;

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();
const shown = (page: Page) => page.getByRole('main').innerText();

/** Clicks what leads to an act, reads what it will do, and says yes. */
async function act(page: Page, name: string, label = name): Promise<string> {
  await link(page, name).click();
  expect(await heading(page)).toBe(`${label}?`);
  const question = await page.locator('.question').innerText();
  await page.getByRole('button', { name: label, exact: true }).click();
  return question;
}

/** Off and on again. */
async function switchOffAndOn(page: Page, list: string, name: string, kind: string): Promise<void> {
  await link(page, list).click();
  await link(page, name).first().click();
  expect(await act(page, 'Disable', `Disable the ${kind}`)).toContain(name);
  expect(await heading(page)).toContain('disabled');
  expect(await act(page, 'Enable', `Enable the ${kind}`)).toContain(name);
  expect(await heading(page)).toContain('active');
}

async function releaseHeld(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Overview').click();
  expect(await shown(page)).toContain('They wait for a person');
  await link(page, 'Held').click();
  await link(page, 'Invoice F-2109').click();
  expect(await act(page, 'Release')).toContain('the service is asked first whether it has it');
  await world.inTime('its receipt', () => world.stages(COMPANY, 'F-2109.xml').includes('accepted'));
  await page.reload();
  expect(await heading(page)).toContain('accepted');
}

async function findAndSendAgain(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Find').click();
  await page.getByLabel('Number, file, company').fill('F-2119');
  await page.getByRole('button', { name: 'Find' }).click();
  await link(page, 'Invoice F-2119').click();
  expect(await page.locator('.findings').innerText()).toMatch(/BR-CO-16.*PayableAmount.*99\.99/s);
  expect(await act(page, 'Send again')).toContain('it will be refused again');
  expect(await shown(page)).toContain('sends again');
  await world.inTime('it to be refused again', async () => world.stages(COMPANY, 'F-2119.xml').length === 2);
  await page.reload();
}

/** As it came, and by no name that leads elsewhere. */
async function download(page: Page, { world }: Stage): Promise<void> {
  const coming = page.waitForEvent('download');
  await act(page, 'Download');
  const file = await coming;
  expect(file.suggestedFilename()).toBe('F-2119.xml');
  const path = join(world.data, 'downloaded.xml');
  await file.saveAs(path);
  expect(readFileSync(path, 'utf8')).toContain('<cbc:ID>F-2119</cbc:ID>');
}

/** Also by one who may only look. */
async function takeKit(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Logins').click();
  await link(page, LOGIN).click();
  await link(page, 'Connection kit').click();
  expect(await page.locator('.question').innerText()).toContain('It holds no secret');
  await page.getByLabel('Name or address').fill('sftp.example.com');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Connection kit' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe(`${LOGIN}-kit.zip`);
  const path = join(world.data, 'kit.zip');
  await file.saveAs(path);
  expect(readFileSync(path, 'latin1')).toMatch(new RegExp(`^PK.*${LOGIN}-kit/known_hosts.*sftp\\.example\\.com`, 's'));
}

async function leaveIt(page: Page): Promise<void> {
  await link(page, 'Find').click();
  await page.getByLabel('State').selectOption('refused');
  await page.getByRole('button', { name: 'Find' }).click();
  await link(page, 'export.csv').click();
  await link(page, 'Send again').click();
  await link(page, 'Leave it').click();
  expect(await heading(page)).toContain('export.csv');
}

async function redeliver(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Find').click();
  await page.getByLabel('Number, file, company').fill('8841');
  await page.getByRole('button', { name: 'Find' }).click();
  await link(page, 'Invoice 8841').click();
  const coming = page.waitForEvent('download');
  expect(await act(page, 'Download')).toContain('the outbox stays as it is');
  const file = await coming;
  expect(world.files(COMPANY, 'outbox')).toContain(file.suggestedFilename());
  await page.goBack();
  expect(await act(page, 'Put into the outbox again')).toContain('twice');
  await world.inTime('it to be there twice', () => world.files(COMPANY, 'outbox').length === 3);
  await act(page, 'Mark unread');
  expect(await heading(page)).toContain('Invoice 8841');
}

async function validate(page: Page): Promise<void> {
  await link(page, 'Validate').click();
  const wrong = Buffer.from(invoice()).toString().replace('<cbc:IdentificationCode>SE', '<cbc:IdentificationCode>SW');
  await page.getByLabel('choose a file').setInputFiles({ name: 'draft.xml', mimeType: 'text/xml', buffer: Buffer.from(wrong) });
  await page.getByRole('button', { name: 'Validate' }).click();
  expect(await heading(page)).toContain('draft.xml');
  expect(await page.locator('.findings').innerText()).toMatch(/BR-CL-14.*SW/s);
}

async function seeWhoIsThere(page: Page): Promise<void> {
  await link(page, 'Connections').click();
  const text = await shown(page);
  expect(text).toMatch(new RegExp(`Now.*${LOGIN}.*Did not get in.*backup`, 's'));
}

/** Without a core beside the gateway there is nothing to switch. */
async function seePartner(page: Page): Promise<void> {
  await link(page, 'Partners').click();
  await link(page, FIRM).click();
  expect(await shown(page)).toMatch(new RegExp(`${FIRM}.*${CLIENT}`, 's'));
}

/** Fills the form of an act by the labels of its fields, sends it, and goes on from the secrets that are shown once. */
async function fill(page: Page, list: string, act: string, fields: Readonly<Record<string, string>>): Promise<string> {
  await link(page, list).click();
  await link(page, act).click();
  expect(await heading(page)).toBe(`${act}?`);
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: act, exact: true }).click();
  const once = await shown(page);
  await link(page, 'Go on').click();
  return once;
}

async function addAccount(page: Page): Promise<void> {
  const fields = {
    Account: 'harbour-cafe',
    'Name of the company': 'Harbour Café AB',
    'Peppol addresses (scheme:value, as 0007:5567321707)': '0007:5567321707',
    Login: 'harbour',
  };
  expect(await fill(page, 'Accounts', 'Add an account', fields)).toMatch(/API key\s+\S+.*password\s+\w{24}/s);
  expect(await heading(page)).toBe('Harbour Café AB active');
  expect(await shown(page)).toContain('0007:5567321707');
}

async function addPartner(page: Page): Promise<void> {
  const fields = { Partner: 'books-ab', 'Name of the company': 'Books AB', Login: 'books' };
  expect(await fill(page, 'Partners', 'Add a partner', fields)).toMatch(/API key\s+\S+.*password\s+\w{24}/s);
  expect(await heading(page)).toBe('Books AB active');
  await link(page, 'Link an account').click();
  await page.getByLabel('Account', { exact: true }).fill('harbour-cafe');
  await page.getByRole('button', { name: 'Link an account' }).click();
  expect(await shown(page)).toMatch(/Acts for.*harbour-cafe/s);
}

async function addLogin(page: Page): Promise<void> {
  const fields = { Login: 'harbour-backup', 'Account that it sees': 'harbour-cafe' };
  expect(await fill(page, 'Logins', 'Add a login', fields)).toMatch(/password\s+\w{24}/);
  expect(await heading(page)).toBe('harbour-backup active');
  expect(await shown(page)).toMatch(/Sees.*harbour-cafe/s);
}

/** What a subscriber did not take, and what the access point refused. */
async function replay(page: Page, id: string): Promise<void> {
  await link(page, 'Webhooks').click();
  await link(page, id).click();
  expect(await act(page, 'Enable', 'Enable the webhook')).toContain('Events are posted again');
  expect(await shown(page)).toMatch(/Given up.*The receiver answered 410/s);
  expect(await act(page, 'Send again what was given up')).toContain('1 event that was given up');
  expect(await shown(page)).toContain('No event was given up.');
  expect(await act(page, 'Disable', 'Disable the webhook')).toContain('Nothing more is posted');
  expect(await heading(page)).toContain('disabled');
}

async function retry(page: Page): Promise<void> {
  await link(page, 'Network').click();
  await link(page, 'Invoice F-7').click();
  expect(await heading(page)).toBe('Invoice F-7 failed');
  expect(await act(page, 'Try again')).toContain('handed to the access point again');
  expect(await heading(page)).toBe('Invoice F-7 waiting');
}

async function readAudit(page: Page): Promise<void> {
  await link(page, 'Audit').click();
  const text = await shown(page);
  for (const what of ['resend', 'document', 'redeliver', 'mark-unread', 'account disable', 'login enable', 'connection-kit'])
    expect(text).toContain(what);
  expect(text).toContain('actor by the page');
  await page.getByText('before and after').first().click();
  expect(await page.locator('details[open] pre').first().innerText()).toMatch(/[{"]/);
}

/** Also by one who may only look. */
async function verify(page: Page, list: string, button: string, act: string, well: RegExp): Promise<void> {
  await link(page, list).click();
  await link(page, button).click();
  expect(await heading(page)).toBe(`${act}?`);
  await page.getByRole('button', { name: act, exact: true }).click();
  expect(await page.getByRole('status').innerText()).toMatch(well);
  await link(page, 'Go on').click();
  expect(await heading(page)).toBe(list);
}

async function rotateKey(page: Page): Promise<void> {
  await link(page, 'Accounts').click();
  await link(page, 'harbour-cafe').first().click();
  expect(await act(page, 'Make a new API key')).toContain('Programs that use the old one have 24 hours');
  expect(await shown(page)).toMatch(/shown this once.*dg_test_/s);
  await link(page, 'Go on').click();
  expect(await heading(page)).toBe('Harbour Café AB active');
}

describe.skipIf(!haveChromium())('a person with a browser', () => {
  beforeAll(async () => {
    chrome = await startChromium();
  });
  afterAll(() => chrome.close());

  it('does every task of the page, and the browser has nothing to complain of', async () => {
    const stage = await startStage();
    const { page, complaints, login } = await openWindow(chrome, stage.page);
    await login('actor');
    await releaseHeld(page, stage);
    await findAndSendAgain(page, stage);
    await download(page, stage);
    await leaveIt(page);
    await redeliver(page, stage);
    await validate(page);
    await seeWhoIsThere(page);
    await switchOffAndOn(page, 'Accounts', COMPANY, 'account');
    await seePartner(page);
    await takeKit(page, stage);
    await switchOffAndOn(page, 'Logins', LOGIN, 'login');
    await readAudit(page);
    await verify(page, 'Audit', 'Verify', 'Verify the audit trail', /The audit trail is whole: \d+ lines/);
    await verify(page, 'Archive', 'Verify all', 'Verify the archive', /The archive is as it was: 0 accounts/);
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await heading(page)).toBe('Log in');
    await page.goBack();
    await page.reload();
    expect(await heading(page)).toBe('Log in');
  });

  it('adds accounts, partners and logins by their forms, and switches a partner off and on, where the core is', async () => {
    const accounts = [{ accountRegNo: CLIENT, participants: [SELLER] }];
    await using daemon = await startDaemon({ accounts, partners: [{ partnerRegNo: FIRM, login: 'firm', accounts }] });
    await daemon.cli(['operator', 'add', 'actor', '--role', 'act', '--password-stdin'], OPERATOR_PASSWORD);
    const { page, complaints, login } = await openWindow(chrome, { url: daemon.adminUrl });
    await login('actor');
    await switchOffAndOn(page, 'Partners', FIRM, 'partner');
    await addAccount(page);
    await addPartner(page);
    await addLogin(page);
    await rotateKey(page);
    expect(complaints).toEqual([]);
  });

  it('sends again what a subscriber and the network did not take, where the core is', async () => {
    const { core, id } = await giveUpEvent();
    const webhooks = await openWindow(chrome, await startPage(await startWorld(scripted()), core.test));
    await webhooks.login('actor');
    await replay(webhooks.page, id);
    const document = await giveUpDocument();
    const network = await openWindow(chrome, await startPage(await startWorld(scripted()), document.core));
    await network.login('actor');
    await retry(network.page);
    expect([webhooks.complaints, network.complaints]).toEqual([[], []]);
  });

  it('logs in by the code of an authenticator with the keyboard alone, on a narrow screen', async () => {
    const { world, page: test } = await startStage();
    const { codeAt } = authenticator((await test.run('operator', 'set', 'actor', '--totp')).out);
    const { page, complaints } = await openWindow(chrome, test, { viewport: { width: 360, height: 640 } });
    await page.goto('/');
    await page.evaluate(DRAWN);
    await typeInto(page, 'Operator', 'actor');
    await page.keyboard.press('Tab');
    await typeInto(page, 'Password', OPERATOR_PASSWORD);
    await page.keyboard.press('Tab');
    await typeInto(page, 'Code of the authenticator, if one is asked of you', codeAt(world.clock.now()));
    await goTo(page, 'Log in');
    expect([await heading(page), complaints]).toEqual(['Overview', []]);
  });

  it('logs in and acts by the keys Tab and Enter alone, and sees at each step where it is', async () => {
    const { world, page: test } = await startStage();
    const { page, complaints } = await openWindow(chrome, test, { viewport: { width: 1_280, height: 700 } });
    await page.goto('/');
    await page.evaluate(DRAWN);
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

/** Into the field that the keyboard is at, which must have this label and show that it is the one. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  expect(await page.evaluate<Focus>(FOCUS)).toMatchObject({ name: label, isSeen: true });
  await page.keyboard.type(text);
}

/** By Tab to what has this name, and Enter. Returns the stops on the way. */
async function goTo(page: Page, name: string): Promise<string[]> {
  const stops: string[] = [];
  while (stops.at(-1) !== name) {
    if (stops.length === STOPS_MAX) throw new Error(`Tab does not lead to ${name}: ${stops.join(', ')}`);
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<Focus>(FOCUS);
    expect(focus).toMatchObject({ isSeen: true, isNext: true });
    stops.push(focus.name);
  }
  const gone = page.waitForEvent('framenavigated');
  await page.keyboard.press('Enter');
  await gone;
  await page.waitForLoadState();
  await page.evaluate(DRAWN);
  return stops;
}
