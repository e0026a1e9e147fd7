// Changing accounts and partners by the forms of the page: they show what is set, and everything that is set can be taken back.
import { beforeEach, describe, expect, it } from 'vitest';
import { addPartner, updateCoreAccount } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../../support/core.ts';
import { type Browser, startPage, type TestPage } from '../../support/page.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld } from '../../support/world/world.ts';

let page: TestPage;
let browser: Browser;

/** What the fields of a form hold, as a browser sends them back. */
function valuesIn(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="(?:text|number)"[^>]* name="(\w+)" value="([^"]*)"/g)];
  const selects = [...text.matchAll(/<select name="(\w+)"[^>]*>.*?<\/select>/g)].map(([select, name]) => [
    '',
    name,
    /<option value="([^"]*)" selected>/.exec(select)?.[1] ?? '',
  ]);
  return Object.fromEntries([...inputs, ...selects].map(([, name = '', value = '']) => [name, value]));
}

async function formOf(act: string, id: string): Promise<Record<string, string>> {
  return valuesIn((await browser.get(`/act/${act}?id=${id}`)).text);
}

async function facts(path: string): Promise<Record<string, string>> {
  const { text } = await browser.get(path);
  return Object.fromEntries([...text.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name = '', value = '']) => [name, value]));
}

describe('of a remote service', () => {
  beforeEach(async () => {
    page = await startPage(await startWorld(scripted()));
    browser = page.browser();
    await browser.login('actor');
  });

  it('everything that is set about the home of an account can be taken back, and what the form shows changes nothing', async () => {
    const usual = { receipts: '', validate: '', unreachable: '', reconciliation: '', repair: '' };
    const other = { receipts: 'ubl', validate: 'local', unreachable: 'at-once', reconciliation: 'daily', repair: 'suggest' };
    expect(await formOf('change-account', 'acme-ab')).toEqual(usual);
    expect(await browser.act('change-account', 'acme-ab', other)).toMatchObject({ status: 303 });
    expect(await formOf('change-account', 'acme-ab')).toEqual(other);
    await browser.act('change-account', 'acme-ab', await formOf('change-account', 'acme-ab'));
    expect(await formOf('change-account', 'acme-ab')).toEqual(other);
    expect(await browser.act('change-account', 'acme-ab', usual)).toMatchObject({ status: 303 });
    expect(await formOf('change-account', 'acme-ab')).toEqual(usual);
    expect(await browser.act('change-account', 'acme-ab', { ...usual, receipts: 'gold' })).toMatchObject({ status: 400 });
  });

  it('another API key of an account and of a partner is the one that their service has given', async () => {
    await browser.act('add-partner', '', { partnerRegNo: 'books-ab', login: 'books', apiKey: 'a key of the service' });
    for (const [act, id] of [
      ['rotate-account-key', 'acme-ab'],
      ['rotate-partner-key', 'books-ab'],
    ] as const) {
      expect((await browser.get(`/act/${act}?id=${id}`)).text).toContain('<input type="password" name="apiKey"');
      expect(await browser.act(act, id, { apiKey: 'another key of the service' })).toMatchObject({ status: 303 });
      expect(await browser.act(act, id)).toMatchObject({ status: 400 });
    }
    expect((await browser.get('/audit')).text).not.toContain('another key');
    await browser.act('link-account', 'books-ab', { account: 'initech-ab' });
    expect((await browser.get('/account?id=initech-ab')).text).not.toContain('rotate-account-key');
  });

  it('the login of a partner is shown and changed; its name and its limits are set at its service', async () => {
    await browser.act('add-partner', '', { partnerRegNo: 'books-ab', login: 'books', apiKey: 'a key of the service' });
    await browser.act('add-login', '', { login: 'ledgers' });
    expect(await formOf('change-partner', 'books-ab')).toEqual({ login: 'books' });
    expect(await browser.act('change-partner', 'books-ab', { login: 'ledgers' })).toMatchObject({ status: 303 });
    expect(await formOf('change-partner', 'books-ab')).toEqual({ login: 'ledgers' });
  });
});

describe('of the core here', () => {
  let core: TestCore;

  beforeEach(async () => {
    core = await coreOfTest();
    page = await startPage(await startWorld(scripted()), core);
    browser = page.browser();
    await browser.login('actor');
  });

  it('name and budget of an account are shown, changed and taken back', async () => {
    expect(await formOf('change-account', 'seller')).toMatchObject({ name: 'Seller', requestsMax: '' });
    await browser.act('change-account', 'seller', { name: 'Seller & Sons', requestsMax: '250' });
    expect(await formOf('change-account', 'seller')).toMatchObject({ name: 'Seller &#38; Sons', requestsMax: '250' });
    expect(await facts('/account?id=seller')).toMatchObject({ 'requests a minute': '250' });
    await browser.act('change-account', 'seller', { name: '', requestsMax: '' });
    expect(await formOf('change-account', 'seller')).toMatchObject({ name: 'Seller &#38; Sons', requestsMax: '' });
    expect(await facts('/account?id=seller')).not.toHaveProperty('requests a minute');
  });

  it('an account tells in words what it may use and how its documents are judged, as the command does', async () => {
    expect(await facts('/account?id=seller')).toMatchObject({
      'may use': 'the API, SFTP',
      rules: 'broken rules refuse a document; only known profiles are sent; what is received is judged as core.network.verify says',
    });
    const features = { apiIntegration: false, sftpIntegration: false };
    await updateCoreAccount(core.administration, 'seller', { features, validation: { severity: 'warn', profiles: 'any', verify: 'off' } });
    expect(await facts('/account?id=seller')).toMatchObject({
      'may use': 'nothing',
      rules: 'broken rules are warnings; any profile is sent; what is received is not judged',
    });
  });

  it.each([
    ['account', 'seller'],
    ['partner', 'firm'],
  ])('a new API key is made for the %s, shown once, and opens; no cache and no log has it', async (kind, id) => {
    await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Firm' });
    expect((await browser.get(`/${kind}?id=${id}`)).text).toContain(`/act/rotate-${kind}-key?id=${id}`);
    expect((await browser.get(`/act/rotate-${kind}-key?id=${id}`)).text).toContain('Programs that use the old one have 24 hours');
    const done = await browser.act(`rotate-${kind}-key`, id);
    const [, key = ''] = /<dt>API key<\/dt><dd><code>(dg_test_[^<]+)</.exec(done.text) ?? [];
    expect(key).not.toBe('');
    expect(done.headers.get('cache-control')).toBe('no-store');
    const { status } = kind === 'account' ? await core.call('/network/seller/senders/0088:1', { key }) : { status: 200 };
    expect(status).toBe(200);
    expect(page.log.join('')).not.toContain(key);
    expect((await browser.get('/audit')).text).not.toContain(key);
    expect((await browser.get('/audit')).text).toContain(`${kind} rotate-key`);
    const looker = page.browser();
    await looker.login('looker');
    expect((await looker.get(`/${kind}?id=${id}`)).text).not.toContain('rotate-');
    expect((await looker.get(`/act/rotate-${kind}-key?id=${id}`)).status).toBe(403);
  });

  it('name and limits of a partner are shown, changed and taken back', async () => {
    await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Firm' });
    const set = { name: 'Firm AB', login: '', requestsMax: '30', childrenMax: '7' };
    expect(await formOf('change-partner', 'firm')).toEqual({ name: 'Firm', login: '', requestsMax: '', childrenMax: '' });
    await browser.act('change-partner', 'firm', set);
    expect(await formOf('change-partner', 'firm')).toEqual(set);
    await browser.act('change-partner', 'firm', { ...set, requestsMax: '', childrenMax: '' });
    expect(await formOf('change-partner', 'firm')).toEqual({ ...set, requestsMax: '', childrenMax: '' });
  });
});
