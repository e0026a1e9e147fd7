// What a partner does with its child accounts.
import { beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_PROFILE } from '#contract/accounts.ts';
import { selectPartners } from '#core/ledger/partners.ts';
import { addAccount, addParticipant, addPartner, linkPartner, listAccounts } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';

const PATH = '/partner/firm/account';
/** An address that only an administrator can give to a child. */
const CHILD = '0088:7300010000018';
const SWITCHES = { apiIntegration: { active: true }, sftpIntegration: { active: true }, capture: { active: false } };

let test: TestCore;
let firm: string;
beforeEach(async () => {
  test = await coreOfTest();
  firm = (await addPartner(test.administration, { partnerRegNo: 'firm', name: 'Firm' })).apiKey;
});

const get = (path: string, key: string | null = firm) => test.call(path, { key });
const send = (method: 'POST' | 'PUT', path: string, body: unknown, key: string | null = firm) =>
  test.call(path, { method, key, body: JSON.stringify(body), type: 'application/json' });

const PROFILE = {
  vatNumber: 'SE556732170701',
  email: 'info@acme.example',
  address: 'Storgatan 1',
  additionalAddress: 'Floor 2',
  boxAddress: 'Box 17',
  postalCode: '831 30',
  city: 'Östersund',
  country: 'SE',
  currency: 'SEK',
  vat: '25',
  website: 'https://acme.example',
  invoiceEmail: 'invoice@acme.example',
  invoicePhone: '+46 63 12 34 56',
  OurReference: 'Kim',
};

describe('creating a child', () => {
  it('answers the account with all its fields; what was read can be sent back', async () => {
    const answer = await send('POST', PATH, { accountRegNo: '5567321707', name: 'Acme AB', ...PROFILE });
    const account = { accountRegNo: '5567321707', name: 'Acme AB', ...PROFILE, appFeatures: SWITCHES };
    expect(answer).toMatchObject({ status: 200, json: { status: 'success', data: account } });
    expect((await get(`${PATH}/5567321707`)).json).toEqual({ status: 'success', data: account });
    expect((await send('PUT', `${PATH}/5567321707`, account)).json.data).toEqual(account);
  });

  it('needs number and name only', async () => {
    const { json } = await send('POST', PATH, { accountRegNo: 'small', name: 'Small' });
    expect(json.data).toEqual({ accountRegNo: 'small', name: 'Small', ...EMPTY_PROFILE, appFeatures: SWITCHES });
  });

  it('links it to the partner, who can act for it at once', async () => {
    await send('POST', PATH, { accountRegNo: 'child', name: 'Child' });
    expect(await selectPartners(test.administration.ledger.read)).toEqual([
      { partnerRegNo: 'firm', name: 'Firm', enabled: true, requestsMax: null, childrenMax: null, accounts: ['child'] },
    ]);
    const { json } = await send('POST', '/token/firm', { actingAs: 'parent', forChildRegNo: 'child' });
    const headers = { authorization: `Bearer ${json.access_token}` };
    const body = invoice({ id: 'by-agent', sender: CHILD });
    const sent = () => test.call('/transaction/child/invoices/outgoing', { key: null, headers, body });
    expect((await sent()).json.metadata.details).toMatchObject([{ rule: 'participant' }]);
    await addParticipant(test.administration, 'child', CHILD);
    expect((await sent()).status).toBe(200);
  });

  it('of a number that is taken is a 409, whoever has it; nothing changes', async () => {
    await send('POST', PATH, { accountRegNo: 'child', name: 'Child' });
    for (const accountRegNo of ['child', 'seller']) {
      expect(await send('POST', PATH, { accountRegNo, name: 'Mine' })).toMatchObject({ status: 409, json: { type: 'E_CONFLICT' } });
    }
    expect((await listAccounts(test.administration)).map(({ name }) => name)).toEqual(['Buyer', 'Child', 'Seller']);
    expect((await get(`${PATH}/seller`)).status).toBe(204);
  });

  it.each([
    ['no name', { accountRegNo: 'x' }],
    ['no number', { name: 'X' }],
    ['an empty name', { accountRegNo: 'x', name: '' }],
    ['a number that no folder may have', { accountRegNo: '../x', name: 'X' }],
    ['a reserved number', { accountRegNo: 'receiving', name: 'X' }],
    ['a country that is none', { accountRegNo: 'x', name: 'X', country: 'Sweden' }],
    ['a currency that is none', { accountRegNo: 'x', name: 'X', currency: 'kr' }],
    ['a field that is too long', { accountRegNo: 'x', name: 'X', city: 'x'.repeat(101) }],
    ['a number for a text', { accountRegNo: 'x', name: 'X', postalCode: 83130 }],
    ['a feature that there is not', { accountRegNo: 'x', name: 'X', appFeatures: { everything: { active: true } } }],
    ['a feature that is no switch', { accountRegNo: 'x', name: 'X', appFeatures: { capture: true } }],
    ['participants, which an administrator assigns', { accountRegNo: 'x', name: 'X', participants: ['0007:5567321707'] }],
    ['a list', [{ accountRegNo: 'x', name: 'X' }]],
  ])('refuses %s with 422', async (_what, body) => {
    expect(await send('POST', PATH, body)).toMatchObject({ status: 422, json: { status: 'error', type: 'E_VALIDATION' } });
    expect(await listAccounts(test.administration)).toHaveLength(2);
  });
});

describe('reading children', () => {
  it('lists them in the order of their numbers, by pages; none is a 204', async () => {
    expect(await get(PATH)).toMatchObject({ status: 204, text: '' });
    for (const accountRegNo of ['c', 'a', 'b']) await send('POST', PATH, { accountRegNo, name: accountRegNo });
    const numbers = async (query = '') =>
      (await get(PATH + query)).json.data.map((account: { accountRegNo: string }) => account.accountRegNo);
    expect(await numbers()).toEqual(['a', 'b', 'c']);
    expect(await numbers('?limit=2')).toEqual(['a', 'b']);
    expect(await numbers('?limit=2&offset=2')).toEqual(['c']);
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?offset=-1']) expect((await get(PATH + query)).status).toBe(422);
  });

  it('answers another’s account, and one that there is not, with 204', async () => {
    for (const accountRegNo of ['seller', 'nobody']) expect(await get(`${PATH}/${accountRegNo}`)).toMatchObject({ status: 204, text: '' });
  });

  it('also shows children that an administrator linked', async () => {
    await linkPartner(test.administration, 'firm', 'seller');
    expect((await get(`${PATH}/seller`)).json.data).toMatchObject({ accountRegNo: 'seller', name: 'Seller' });
  });
});

describe('changing a child', () => {
  it('changes what is given, and leaves the rest; null empties a field', async () => {
    await send('POST', PATH, { accountRegNo: 'child', name: 'Child', city: 'Umeå', email: 'a@b.example' });
    const { json } = await send('PUT', `${PATH}/child`, { name: 'Children AB', city: 'Luleå', email: null });
    expect(json.data).toMatchObject({ name: 'Children AB', city: 'Luleå', email: null });
    expect((await send('PUT', `${PATH}/child`, {})).json.data).toEqual(json.data);
  });

  it('S289 switches features: without apiIntegration the child’s own credentials and its partner’s tokens get 403', async () => {
    await linkPartner(test.administration, 'firm', 'seller');
    const { json } = await send('PUT', `${PATH}/seller`, { appFeatures: { apiIntegration: { active: false }, capture: { active: true } } });
    expect(json.data.appFeatures).toEqual({
      apiIntegration: { active: false },
      sftpIntegration: { active: true },
      capture: { active: true },
    });
    expect(await test.call('/transaction/seller/orders/incoming')).toMatchObject({ status: 403, json: { type: 'E_MISSING_PERMISSION' } });
    expect((await test.call('/transaction/seller/orders/incoming', { key: test.seller.gatewayKey })).status).toBe(204);
    await send('PUT', `${PATH}/seller`, { appFeatures: { apiIntegration: { active: true }, sftpIntegration: { active: false } } });
    expect((await test.call('/transaction/seller/orders/incoming')).status).toBe(204);
    const [, seller] = await listAccounts(test.administration);
    expect(seller?.features).toEqual({ apiIntegration: true, sftpIntegration: false, capture: true });
  });

  it('refuses another number with 422, and answers another’s account with 404', async () => {
    await send('POST', PATH, { accountRegNo: 'child', name: 'Child' });
    expect((await send('PUT', `${PATH}/child`, { accountRegNo: 'other' })).status).toBe(422);
    for (const accountRegNo of ['seller', 'nobody']) {
      expect(await send('PUT', `${PATH}/${accountRegNo}`, { name: 'Mine' })).toMatchObject({ status: 404, json: { type: 'E_MISSING' } });
    }
    expect((await listAccounts(test.administration)).map(({ name }) => name)).toEqual(['Buyer', 'Child', 'Seller']);
  });

  it('a profile survives a restart', async () => {
    await send('POST', PATH, { accountRegNo: 'child', name: 'Child', city: 'Umeå' });
    await test.restart();
    expect((await get(`${PATH}/child`)).json.data.city).toBe('Umeå');
  });
});

describe('who may', () => {
  it('a partner by key or by its own token; its children, other partners and accounts of the same number may not', async () => {
    await linkPartner(test.administration, 'firm', 'seller');
    const own = (await test.call('/token/firm', { key: firm })).json.access_token;
    const childs = (await send('POST', '/token/firm', { actingAs: 'parent', forChildRegNo: 'seller' })).json.access_token;
    const rival = await addPartner(test.administration, { partnerRegNo: 'rival', name: 'Rival' });
    const namesake = await addAccount(test.administration, { accountRegNo: 'firm', name: 'Firm as an account', participants: [] });
    const bearer = (token: string) => test.call(PATH, { key: null, headers: { authorization: `Bearer ${token}` } });
    expect((await bearer(own)).status).toBe(200);
    expect((await bearer(childs)).status).toBe(401);
    for (const key of [null, rival.apiKey, namesake.apiKey, test.seller.apiKey]) expect((await get(PATH, key)).status).toBe(401);
    expect((await get('/partner/rival/account', rival.apiKey)).status).toBe(204);
    // And the other way round: a partner is no account.
    expect((await get('/transaction/firm/orders/incoming')).status).toBe(401);
    expect((await get('/transaction/firm/orders/incoming', namesake.apiKey)).status).toBe(204);
  });

  it('users are not implemented', async () => {
    await linkPartner(test.administration, 'firm', 'seller');
    for (const path of [`${PATH}/seller/user`, `${PATH}/seller/user/kim@acme.example`]) {
      expect(await get(path)).toMatchObject({ status: 501, json: { type: 'E_NOT_IMPLEMENTED' } });
      expect((await get(path, null)).status).toBe(401);
    }
  });
});
