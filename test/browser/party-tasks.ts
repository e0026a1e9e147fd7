// Tasks with accounts, partners and logins: adding them, changing what is set about them, new keys and passwords, off and on.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { ed25519Pair } from '../support/keys.ts';
import { act, actOnce, heading, link, shown } from './hand.ts';
import { CLIENT, FIRM } from './stage.ts';

const CAFE = 'harbour-cafe';
const CAFE_NAME = 'Harbour Café AB';
const CAFE_ADDRESS = '0007:5567321707';
const LABEL_OF_ADDRESS = '(scheme:value, as 0007:5567321707)';
const BACKUP = 'harbour-backup';
const BOOKS = 'books-ab';
const API_KEY = /shown this once.*dg_test_/s;

/** From the list to one of those that stand in it. */
async function goTo(page: Page, list: string, name: string): Promise<void> {
  await link(page, list).click();
  await link(page, name).first().click();
}

export async function switchOffAndOn(page: Page, list: string, name: string, kind: string): Promise<void> {
  await goTo(page, list, name);
  expect(await act(page, 'Disable', `Disable the ${kind}`)).toContain(name);
  expect(await heading(page)).toContain('disabled');
  expect(await act(page, 'Enable', `Enable the ${kind}`)).toContain(name);
  expect(await heading(page)).toContain('active');
}

/** Without a core beside the gateway there is nothing to switch. */
export async function seePartner(page: Page): Promise<void> {
  await goTo(page, 'Partners', FIRM);
  expect(await shown(page)).toMatch(new RegExp(`${FIRM}.*${CLIENT}`, 's'));
}

export async function addAccount(page: Page): Promise<void> {
  await link(page, 'Accounts').click();
  const said = {
    Account: CAFE,
    'Name of the company': CAFE_NAME,
    [`Peppol addresses ${LABEL_OF_ADDRESS}`]: CAFE_ADDRESS,
    Login: 'harbour',
  };
  expect(await actOnce(page, 'Add an account', said)).toMatch(/API key\s+\S+.*password\s+\w{24}/s);
  expect(await heading(page)).toBe(`${CAFE_NAME} active`);
  expect(await shown(page)).toContain(CAFE_ADDRESS);
}

export async function changeAccount(page: Page): Promise<void> {
  await goTo(page, 'Accounts', CAFE);
  await act(page, 'Change', 'Change the account', { 'Requests a minute': '250', Receipts: 'text' });
  expect(await shown(page)).toMatch(/requests a minute\s+250.*text/s);
  await act(page, 'Add an address', 'Add an address', { [`Peppol address ${LABEL_OF_ADDRESS}`]: '0088:7350000000030' });
  expect(await shown(page)).toContain(`${CAFE_ADDRESS}, 0088:7350000000030`);
  await act(page, 'Remove an address', 'Remove an address', { Address: CAFE_ADDRESS });
  expect(await shown(page)).not.toContain(CAFE_ADDRESS);
  expect(await actOnce(page, 'Make a new API key')).toMatch(API_KEY);
  expect(await heading(page)).toBe(`${CAFE_NAME} active`);
}

export async function addPartner(page: Page): Promise<void> {
  await link(page, 'Partners').click();
  const said = { Partner: BOOKS, 'Name of the company': 'Books AB', Login: 'books' };
  expect(await actOnce(page, 'Add a partner', said)).toMatch(/API key\s+\S+.*password\s+\w{24}/s);
  expect(await heading(page)).toBe('Books AB active');
}

export async function changePartner(page: Page): Promise<void> {
  await goTo(page, 'Partners', BOOKS);
  await act(page, 'Change', 'Change the partner', { 'Accounts at the most': '7' });
  expect(await shown(page)).toMatch(/accounts at the most\s+7/);
  await act(page, 'Link an account', 'Link an account', { Account: CAFE });
  expect(await shown(page)).toMatch(new RegExp(`Acts for.*${CAFE}`, 's'));
  expect(await act(page, 'Unlink an account', 'Unlink an account', { Account: CAFE })).toContain('Files that wait are held');
  expect(await shown(page)).toContain('It acts for no account here.');
  expect(await actOnce(page, 'Make a new API key')).toMatch(API_KEY);
}

export async function addLogin(page: Page): Promise<void> {
  await link(page, 'Logins').click();
  expect(await actOnce(page, 'Add a login', { Login: BACKUP, 'Account that it sees': CAFE })).toMatch(/password\s+\w{24}/);
  expect(await heading(page)).toBe(`${BACKUP} active`);
  expect(await shown(page)).toMatch(new RegExp(`Sees.*${CAFE}`, 's'));
}

export async function changeLogin(page: Page): Promise<void> {
  await goTo(page, 'Logins', BACKUP);
  await act(page, 'Change its rules', 'Change its rules', { 'MiB that may lie in a home': '100', 'May write': 'no, read only' });
  expect(await shown(page)).toMatch(/access=read-only home-bytes=104857600/);
  expect(await actOnce(page, 'Set a new password')).toMatch(/shown this once.*password\s+\w{24}/s);
  const { public: key } = ed25519Pair();
  await act(page, 'Add a key', 'Add a key', { 'Public key, as in authorized_keys': key });
  expect(await shown(page)).toMatch(/gets in by\s+password, 1 key.*ssh-ed25519 /s);
  expect(await act(page, 'Remove a key')).toContain('no more');
  expect(await shown(page)).not.toContain('ssh-ed25519');
  await act(page, 'Take an account out of sight', 'Take an account out of sight', { Account: CAFE });
  expect(await shown(page)).toContain('It sees no account.');
  await act(page, 'Let it see an account', 'Let it see an account', { Account: CLIENT, Folder: 'birch' });
  expect(await shown(page)).toMatch(new RegExp(`${CLIENT}\\s+birch`));
}
