// Lists of accounts, partners and logins on the page: by keys, in pages, whatever either side knows of them.
import { beforeEach, describe, expect, it } from 'vitest';
import { insertLink, insertPartner } from '#core/ledger/partners.ts';
import { addAccount, addParticipant } from '#core/operate/administration.ts';
import { glnCheckDigit } from '#domain/participant.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { linkChild, putPartner } from '#gateway/operate/partners.ts';
import { coreOfTest, type TestCore } from '../../support/core.ts';
import { type Browser, startPage, walkList } from '../../support/page.ts';
import { PASSWORD_HASH } from '../../support/sftp-server.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld } from '../../support/world/world.ts';

let core: TestCore;
let browser: Browser;

const GLN = `735000000777${glnCheckDigit('735000000777')}`;
const numbered = (kind: string, at: number): string => `${kind}-${String(at).padStart(3, '0')}`;

/** 150 accounts of the core, every other one with a home and a login here; `acme-ab` and `core-…` are of one side alone. */
beforeEach(async () => {
  core = await coreOfTest();
  const world = await startWorld(scripted());
  await world.administer(async (on) => {
    for (let at = 0; at < 150; at++) {
      const accountRegNo = numbered('both', at);
      await addAccount(core.administration, { accountRegNo, name: `Åkeri ${at} Öst`, participants: [] });
      if (at % 2 === 1) continue;
      await putAccount(on, accountRegNo, 'key');
      await addLogin(on, { login: numbered('erp', at), passwordHash: PASSWORD_HASH, publicKeys: [] });
      await addLoginHome(on, numbered('erp', at), accountRegNo, '');
    }
  });
  await addParticipant(core.administration, numbered('both', 7), `0088:${GLN}`);
  browser = (await startPage(world, core)).browser();
  await browser.login('looker');
});

const NUMBER = /data-name="account"><a [^>]*>([^<]+)</g;
const accountsWith = async (text: string): Promise<string[]> =>
  walkList(browser, `/accounts?${new URLSearchParams({ text })}`, 'after', NUMBER);

describe('accounts', () => {
  it('stand there once each, in their order, page by page, whichever side knows them', async () => {
    const both = Array.from({ length: 150 }, (_, at) => numbered('both', at));
    expect(await walkList(browser, '/accounts', 'after', NUMBER)).toEqual(['acme-ab', ...both, 'buyer', 'seller']);
    expect(await accountsWith('BOTH-')).toEqual(both);
  });

  it.each([
    ['00', [...Array.from({ length: 10 }, (_, at) => numbered('both', at)), 'both-100', 'buyer', 'seller']],
    ['ERP-014', ['both-014']],
    [GLN, ['both-007']],
    ['åkeri 11 ', ['both-011']],
    ['ÅKERI 11 ÖST', ['both-011']],
    ['Åkeri 11 öst', ['both-011']],
    ['100%', []],
    ["' or 1=1 --", []],
  ])('are found by %s', async (text, found) => {
    expect(await accountsWith(text)).toEqual(found);
  });

  it('are shown one by one as the list has them', async () => {
    const { text } = await browser.get(`/account?id=${numbered('both', 14)}`);
    expect(text).toMatch(/Åkeri 14 Öst.*<dt>logins<\/dt><dd><a [^>]*>erp-014</s);
    expect((await browser.get('/account?id=both')).status).toBe(404);
  });
});

it('logins stand there page by page, and are found by what they see', async () => {
  const pattern = /data-name="login"><a [^>]*>([^<]+)</g;
  const all = Array.from({ length: 75 }, (_, at) => numbered('erp', 2 * at));
  expect(await walkList(browser, '/logins', 'after', pattern)).toEqual(all);
  expect(await walkList(browser, '/logins?text=both-014', 'after', pattern)).toEqual(['erp-014']);
  expect(await walkList(browser, '/logins?text=Erp-02', 'after', pattern)).toEqual(all.filter((login) => login.startsWith('erp-02')));
});

describe('partners', () => {
  const pattern = /data-name="partner"><a [^>]*>([^<]+)</g;
  const numbers = Array.from({ length: 130 }, (_, at) => numbered('firm', at));

  it('of a core stand there page by page, and are found by number, name and the accounts that they act for', async () => {
    await core.administration.ledger.write([], async (rows) => {
      for (const partnerRegNo of numbers) await insertPartner(rows, { partnerRegNo, name: `Firma ${partnerRegNo.slice(-3)} Öst` }, 0);
      await insertLink(rows, 'firm-007', 'both-014');
    });
    expect(await walkList(browser, '/partners', 'after', pattern)).toEqual(numbers);
    expect(await walkList(browser, '/partners?text=FIRM-0', 'after', pattern)).toEqual(numbers.slice(0, 100));
    expect(await walkList(browser, '/partners?text=firma 011 öst', 'after', pattern)).toEqual(['firm-011']);
    expect(await walkList(browser, '/partners?text=both-014', 'after', pattern)).toEqual(['firm-007']);
    expect((await browser.get('/partner?id=firm-007')).text).toContain('Firma 007');
  });

  it('of a remote service stand there page by page, and are found by number and the accounts that they act for', async () => {
    const remote = await startWorld(scripted());
    await remote.administer(async (on) => {
      for (const partnerRegNo of numbers) await putPartner(on, { partnerRegNo, serviceKey: 'key' });
      await linkChild(on, { partnerRegNo: 'firm-007', accountRegNo: 'both-014' });
    });
    browser = (await startPage(remote)).browser();
    await browser.login('looker');
    expect(await walkList(browser, '/partners', 'after', pattern)).toEqual(numbers);
    expect(await walkList(browser, '/partners?text=firm-01', 'after', pattern)).toEqual(numbers.slice(10, 20));
    expect(await walkList(browser, '/partners?text=both-014', 'after', pattern)).toEqual(['firm-007']);
  });
});
