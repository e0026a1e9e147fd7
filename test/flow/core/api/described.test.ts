// Answers that only an operator can provoke, and those to partners, are as the API description tells; test/api shows the others.
import { expect, it } from 'vitest';
import { addPartner, linkPartner, updateCoreAccount } from '#core/operate/administration.ts';
import { type Call, coreOfTest, request, type TestCore } from '../../../support/core.ts';
import { type Description, expectDescribed } from '../../../support/described.ts';
import { invoice } from '../../../support/documents.ts';
import { loseTable } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';

async function open(overrides: Parameters<typeof coreOfTest>[0] = {}) {
  const test = await coreOfTest(overrides);
  const description: Description = (await request(`${test.core.url}/openapi.json`, {})).json;
  const expectStatus = async (status: number, path: string, call: Call = {}) => {
    const answer = await test.call(path, call);
    expect(answer.status, path).toBe(status);
    expectDescribed(description, call.method ?? (call.body === undefined ? 'GET' : 'POST'), path, answer);
    return answer;
  };
  return { test, expectStatus };
}

const breakLedger = ({ administration }: TestCore) => loseTable(administration.ledger, 'message_log');

it('S289 S297 S298 S299 S300 403 and 429', async () => {
  const { test, expectStatus } = await open({ requests: 2 });
  await updateCoreAccount(test.administration, 'seller', { features: { apiIntegration: false } });
  await expectStatus(403, OUT);
  await expectStatus(403, OUT, { body: invoice() });
  const { headers } = await expectStatus(429, OUT);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
});

it('S301 S302 500', async () => {
  const { test, expectStatus } = await open();
  await breakLedger(test);
  await expectStatus(500, OUT, { body: invoice() });
});

it('says an Invoice and a CreditNote', async () => {
  const test = await coreOfTest();
  const text = JSON.stringify((await request(`${test.core.url}/openapi.json`, {})).json);
  expect(['Send an Invoice to', 'Send a CreditNote to', 'Put an Invoice among'].filter((each) => !text.includes(each))).toEqual([]);
  expect(text).not.toMatch(/\ba (Invoice|Order)\b/);
});

it('422 for a receiver that nobody knows, and 400 for a body that is too large', async () => {
  const { expectStatus } = await open();
  await expectStatus(422, OUT, { body: invoice({ receiver: '0088:1234567890128' }) });
  await expectStatus(400, OUT, { body: new Uint8Array(1024 * 1024 + 1) });
});

it('partners, tokens, and the keys that they are checked with', async () => {
  const { test, expectStatus } = await open();
  const { apiKey: key } = await addPartner(test.administration, { partnerRegNo: 'firm', name: 'Firm' });
  const json = (body: unknown, method = 'POST'): Call => ({ key, method, body: JSON.stringify(body), type: 'application/json' });
  await expectStatus(204, '/partner/firm/account', { key });
  await linkPartner(test.administration, 'firm', 'seller');
  await expectStatus(200, '/partner/firm/account', { key });
  await expectStatus(200, '/partner/firm/account/seller', { key });
  await expectStatus(204, '/partner/firm/account/buyer', { key });
  await expectStatus(200, '/partner/firm/account', json({ accountRegNo: 'child', name: 'Child' }));
  await expectStatus(409, '/partner/firm/account', json({ accountRegNo: 'child', name: 'Child' }));
  await expectStatus(422, '/partner/firm/account', json({ name: 'Nameless' }));
  await expectStatus(200, '/partner/firm/account/child', json({ city: 'Lund' }, 'PUT'));
  await expectStatus(404, '/partner/firm/account/buyer', json({ city: 'Lund' }, 'PUT'));
  await expectStatus(501, '/partner/firm/account/child/user', { key });
  await expectStatus(501, '/partner/firm/account/child/user/a@b.example', { key });
  await expectStatus(401, '/partner/firm/account', {});
  await expectStatus(200, '/token/firm', json({ actingAs: 'parent', forChildRegNo: 'child' }));
  await expectStatus(401, '/token/firm', json({ actingAs: 'parent', forChildRegNo: 'buyer' }));
  await expectStatus(422, '/token/firm', json({ actingAs: 'nobody' }));
  await expectStatus(200, '/.well-known/jwks.json', { key: null });
  await expectStatus(200, '/health', { key: null });
});
