// Each task of the page as a person does it in Chromium: by what is to be read and clicked, from the login to the way out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTS } from '#page/acts.ts';
import { haveChromium, openWindow, startChromium, type Visitor } from '../support/chromium.ts';
import { startDaemon } from '../support/daemon.ts';
import { invoice, SELLER } from '../support/documents.ts';
import { type GivenUpDocument, giveUpDocument, turnAway } from '../support/given-up.ts';
import { OPERATOR_PASSWORD, startPage, type TestPage } from '../support/page.ts';
import { FAULTS } from '../support/stand-in/manners.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld } from '../support/world/world.ts';
import { act, downloaded, heading, link, reload, shown } from './hand.ts';
import { addAccount, addLogin, addPartner, changeAccount, changeLogin, changePartner, seePartner, switchOffAndOn } from './party-tasks.ts';
import { CLIENT, COMPANY, FIRM, gln, LOGIN, type Stage, startStage } from './stage.ts';

let chrome: Browser;
/** Acts that were sent, in all windows. */
const done = new Set<string>();
/** A client of the firm. */
const LEAVER = 'nilsson-print';

async function open(test: Pick<TestPage, 'url'>): Promise<Visitor> {
  const visitor = await openWindow(chrome, test);
  visitor.context.on('request', (request) => {
    const [, name] = /\/act\/([a-z-]+)$/.exec(request.url()) ?? [];
    if (name !== undefined && request.method() === 'POST') done.add(name);
  });
  await visitor.login('actor');
  return visitor;
}

async function releaseHeld(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Overview').click();
  expect(await shown(page)).toContain('They wait for a person');
  await link(page, 'Held').click();
  await link(page, 'Invoice F-2109').click();
  expect(await act(page, 'Release')).toContain('the service is asked first whether it has it');
  await world.inTime('its receipt', () => world.stages(COMPANY, 'F-2109.xml').includes('accepted'));
  await reload(page);
  expect(await heading(page)).toContain('accepted');
}

/** While the service is away a client leaves its accounting firm, which holds what waits, and comes back. */
async function releaseTogether(page: Page, { world }: Stage): Promise<void> {
  const { manners } = world.service;
  manners.fault = ({ method }) => (method === 'POST' ? FAULTS.down : undefined);
  for (const id of ['J-1', 'J-2', 'J-3']) await world.drop(LEAVER, `${id}.xml`, invoice({ id, sender: gln(7) }));
  await world.inTime('J-3 to be read', async () => (await world.items({ documentId: 'J-3' })).length > 0);
  await find(page, 'J-3');
  expect(await act(page, 'Cancel')).toContain('not sent any more');
  await link(page, 'Partners').click();
  await link(page, FIRM).click();
  await act(page, 'Unlink an account', 'Unlink an account', { Account: LEAVER });
  await world.inTime('the others to be held', async () => (await world.count('held')) === 2, 60_000);
  await find(page, 'J-1');
  expect(await act(page, 'Cancel')).toContain('not sent any more');
  manners.fault = () => undefined;
  await link(page, 'Partners').click();
  await link(page, FIRM).click();
  await act(page, 'Link an account', 'Link an account', { Account: LEAVER, Folder: LEAVER });
  await link(page, 'Overview').click();
  await page.getByRole('listitem').filter({ hasText: LEAVER }).getByRole('link', { name: 'Held' }).click();
  expect(await act(page, 'Release all that are held', 'Release all')).toContain('1 held file');
  await world.inTime('its receipt', () => world.stages(LEAVER, 'J-2.xml').includes('accepted'));
}

async function find(page: Page, id: string): Promise<void> {
  await link(page, 'Find').click();
  await page.getByLabel('Number, file, company').fill(id);
  await page.getByRole('button', { name: 'Find' }).click();
  await link(page, `Invoice ${id}`).click();
}

async function findAndSendAgain(page: Page, { world }: Stage): Promise<void> {
  await find(page, 'F-2119');
  expect(await page.locator('.findings').innerText()).toMatch(/BR-CO-16.*PayableAmount.*99\.99/s);
  expect(await act(page, 'Send again')).toContain('it will be refused again');
  expect(await shown(page)).toContain('sends again');
  await world.inTime('it to be refused again', async () => world.stages(COMPANY, 'F-2119.xml').length === 2);
  await reload(page);
}

/** As it came, and by no name that leads elsewhere. */
async function download(page: Page, { world }: Stage): Promise<void> {
  const { file } = await downloaded(page, 'Download');
  expect(file.suggestedFilename()).toBe('F-2119.xml');
  const path = join(world.data, 'downloaded.xml');
  await file.saveAs(path);
  expect(readFileSync(path, 'utf8')).toContain('<cbc:ID>F-2119</cbc:ID>');
  await page.goBack();
  const { file: receipt } = await downloaded(page, 'Download the receipt');
  expect(world.files(COMPANY, 'receipts')).toContain(receipt.suggestedFilename());
}

/** Also by one who may only look. */
async function takeKit(page: Page, { world }: Stage): Promise<void> {
  await link(page, 'Logins').click();
  await link(page, LOGIN).click();
  const said = { 'Name or address by which they reach this server, if another than it listens on': 'sftp.example.com' };
  const { question, file } = await downloaded(page, 'Connection kit', said);
  expect(question).toContain('It holds no secret');
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
  await find(page, '8841');
  const { question, file } = await downloaded(page, 'Download');
  expect(question).toContain('the outbox stays as it is');
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

/** What a subscriber did not take, and what the access point refused. */
async function replay(page: Page, { network, webhook }: GivenUpDocument): Promise<void> {
  await link(page, 'Webhooks').click();
  await link(page, webhook).click();
  await act(page, 'Enable', 'Enable the webhook');
  expect(await act(page, 'Send it again')).toContain('the others stay given up');
  await network.wait('it to be given up again', async () => {
    await reload(page);
    return (await link(page, 'Enable').count()) > 0;
  });
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

async function takeTurnedAway(page: Page): Promise<void> {
  await link(page, 'Network').click();
  await link(page, 'Invoice T-8').click();
  expect(await heading(page)).toBe('Invoice T-8 refused');
  const { file } = await downloaded(page, 'Download');
  expect(file.suggestedFilename()).toBe('envelope-1.xml');
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

describe.skipIf(!haveChromium())('a person with a browser', () => {
  beforeAll(async () => {
    chrome = await startChromium();
  });
  afterAll(() => chrome.close());

  it('does every task of the page, and the browser has nothing to complain of', async () => {
    const stage = await startStage();
    const { page, complaints } = await open(stage.page);
    await releaseHeld(page, stage);
    await releaseTogether(page, stage);
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
    await verify(page, 'Archive', 'Verify all', 'Verify the archive', /The archive is as it was: \d accounts, \d closed days/);
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await heading(page)).toBe('Log in');
    await page.goBack();
    await reload(page);
    expect(await heading(page)).toBe('Log in');
  });

  it('adds accounts, partners and logins by their forms, changes them, and switches a partner off and on, where the core is', async () => {
    const accounts = [{ accountRegNo: CLIENT, participants: [SELLER] }];
    await using daemon = await startDaemon({ accounts, partners: [{ partnerRegNo: FIRM, login: 'firm', accounts }] });
    await daemon.cli(['operator', 'add', 'actor', '--role', 'act', '--password-stdin'], OPERATOR_PASSWORD);
    const { page, complaints } = await open({ url: daemon.adminUrl });
    await switchOffAndOn(page, 'Partners', FIRM, 'partner');
    await addAccount(page);
    await addPartner(page);
    await addLogin(page);
    await changeAccount(page);
    await changePartner(page);
    await changeLogin(page);
    expect(complaints).toEqual([]);
  });

  it('sends again what a subscriber and the network did not take, and takes what was turned away, where the core is', async () => {
    const given = await giveUpDocument();
    const { core } = given;
    await turnAway(core, 'T-8');
    const { page, complaints } = await open(await startPage(await startWorld(scripted()), core));
    await replay(page, given);
    await retry(page);
    await takeTurnedAway(page);
    expect(complaints).toEqual([]);
  });

  it('leaves no act of the page out', () => {
    expect([...done].sort()).toEqual(Object.keys(ACTS).sort());
  });
});
