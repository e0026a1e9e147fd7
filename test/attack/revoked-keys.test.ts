// Tokens that outlive the key they were got with.
import { beforeEach, describe, expect, it } from 'vitest';
import { addPartner, linkPartner, removePartner, rotateKey, rotatePartnerKey } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../support/core.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const GRACE_MS = 60_000;

let core: TestCore;
let firm: string;
beforeEach(async () => {
  core = await coreOfTest();
  firm = (await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Firm' })).apiKey;
  await linkPartner(core.administration, 'firm', 'seller');
});

const tokenFor = async (regNo: string, key: string, body = '{}') =>
  (await core.call(`/token/${regNo}`, { key, type: 'application/json', body })).json.access_token;
const statusOf = async (path: string, token: string) =>
  (await core.call(path, { key: null, headers: { authorization: `Bearer ${token}` } })).status;

/** Each with the path that its token opens, and how its key is replaced. The ledger is written by another connection, as a command does. */
const TOKENS = [
  ['an account', () => tokenFor('seller', core.seller.apiKey), OUT, 'account'],
  ['its gateway', () => tokenFor('seller', core.seller.gatewayKey), OUT, 'account'],
  ['a partner', () => tokenFor('firm', firm), '/partner/firm/account', 'partner'],
  ['a partner for its child', () => tokenFor('firm', firm, '{"actingAs":"parent","forChildRegNo":"seller"}'), OUT, 'partner'],
] as const;
const replaceKey = async (whose: 'account' | 'partner', graceMs: number): Promise<string> =>
  whose === 'account'
    ? (await rotateKey(core.administration, 'seller', graceMs)).apiKey
    : rotatePartnerKey(core.administration, 'firm', graceMs);

describe.each(TOKENS)('the token of %s', (_, getToken, path, whose) => {
  it('ends with its key, at once', async () => {
    const token = await getToken();
    expect(await statusOf(path, token)).toBeLessThan(300);
    await replaceKey(whose, 0);
    expect(await statusOf(path, token)).toBe(401);
  });

  it('ends when the grace of its key is over, and not before', async () => {
    const token = await getToken();
    await replaceKey(whose, GRACE_MS);
    core.clock.nowMs += GRACE_MS - 1;
    expect(await statusOf(path, token)).toBeLessThan(300);
    core.clock.nowMs += 1;
    expect(await statusOf(path, token)).toBe(401);
  });

  it('lives on when another key is replaced', async () => {
    const token = await getToken();
    await replaceKey(whose === 'account' ? 'partner' : 'account', 0);
    expect(await statusOf(path, token)).toBeLessThan(300);
  });
});

it('a partner that was removed and added again under its number gets nothing by its old tokens', async () => {
  const token = await tokenFor('firm', firm);
  await removePartner(core.administration, 'firm');
  await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Another firm' });
  expect(await statusOf('/partner/firm/account', token)).toBe(401);
});
