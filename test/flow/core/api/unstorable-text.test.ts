// Text that PostgreSQL has no column for is the caller's error, wherever it stands, on every engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPartner } from '#core/operate/administration.ts';
import { startTestCore, type TestCore } from '../../../support/core.ts';

const NUL = '\\u0000';
const HALF = '\\ud83d';

let test: TestCore;
let partner: string;
beforeAll(async () => {
  test = await startTestCore();
  partner = (await addPartner(test.administration, { partnerRegNo: 'firm', name: 'Firm' })).apiKey;
});
afterAll(() => test[Symbol.asyncDispose]());

interface Place {
  readonly path: string;
  readonly method?: string;
  readonly status: number;
  readonly body: (text: string) => string;
}

const PLACES: Readonly<Record<string, Place>> = {
  'a child that is made': {
    path: '/partner/firm/account',
    status: 422,
    body: (text) => `{"accountRegNo":"child","name":"Child ${text}"}`,
  },
  'a profile, deep in': {
    path: '/partner/firm/account',
    status: 422,
    body: (text) => `{"accountRegNo":"child","name":"Child","city":"Ume${text}"}`,
  },
  'a name of a field': { path: '/partner/firm/account', status: 422, body: (text) => `{"accountRegNo":"child","name":"C","${text}":1}` },
  'a webhook': {
    path: '/account/seller/webhook/configure',
    method: 'PUT',
    status: 400,
    body: (text) => `{"url":"https://example.com/${text}"}`,
  },
  'credentials in a body': { path: '/token', status: 422, body: (text) => `{"client_id":"a${text}","client_secret":"b"}` },
  'a document': {
    path: '/transaction/seller/invoices/outgoing',
    status: 422,
    body: (text) => `{"Invoice":{"ID":{"_":"1${text}"}}}`,
  },
  'an element of a document': {
    path: '/transaction/seller/invoices/outgoing',
    status: 422,
    body: (text) => `{"Invoice":{"ID${text}":{"_":"1"}}}`,
  },
};

describe.each(Object.entries(PLACES))('%s', (_, { path, method, status, body }) => {
  it.each([
    ['U+0000', NUL],
    ['half of a surrogate pair', HALF],
  ])('holds %s', async (what, text) => {
    const key = path.startsWith('/partner') ? { key: partner } : {};
    const answer = await test.call(path, { ...(method && { method }), ...key, body: body(text), type: 'application/json' });
    expect([answer.status, answer.json.status, answer.json.data]).toEqual([status, 'error', expect.stringContaining(what)]);
  });
});

it('XML that holds U+0000 is malformed', async () => {
  for (const text of ['&#0;', '&#x0;', '\0']) {
    const body = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>1${text}</ID></Invoice>`;
    const answer = await test.call('/transaction/seller/invoices/outgoing', { body, type: 'application/xml' });
    expect([text, answer.status, answer.json.data]).toEqual([text, 422, expect.any(String)]);
  }
});

it.each(['/transaction/seller/invoices/outgoing?documentId=a%00b', '/transaction/sel%00ler/invoices/outgoing'])(
  'an address that holds U+0000 is malformed: %s',
  async (path) => {
    const answer = await test.call(path);
    expect([answer.status, answer.json.data]).toEqual([400, expect.stringContaining('U+0000')]);
  },
);
