// The way in for access points under those who post to it: without its token, with a wrong one, with bodies that never end, and the same envelope again
// and again. What proves nothing is neither read nor kept, and pays from the budget of its address.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AP_TOKEN, handOver, startHttpAccessPoint } from '../support/access-point.ts';
import { request, type TestCore } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { ENDLESS_BYTES, postEndlessly } from '../support/endless-post.ts';
import { startNetwork } from '../support/network.ts';
import { envelopeOf } from '../support/network-answers.ts';
import { amount } from './amounts.ts';

const REQUESTS = 60;
const GUESSES = amount(200, 10_000);
const REPLAYS = amount(20, 500);
const IN = '/transaction/seller/invoices/incoming';
const envelope = (instance = 1): Uint8Array =>
  envelopeOf(invoice({ id: `B-${instance}`, sender: BUYER, receiver: SELLER }), {
    instanceId: `7f0a6b7e-0000-4000-8000-${String(instance).padStart(12, '0')}`,
    sender: BUYER,
    receiver: SELLER,
  });

let core: TestCore;
beforeEach(async () => {
  const network = await startNetwork();
  const ap = await startHttpAccessPoint();
  onTestFinished(async () => {
    await network[Symbol.asyncDispose]();
    await ap[Symbol.asyncDispose]();
  });
  core = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN }, { requests: REQUESTS });
});

const received = async (): Promise<unknown[]> => (await core.call(IN)).json?.data ?? [];

const ADDRESSES = ['/access-point/incoming', '/api/dd_and_validate/'];

describe.each(ADDRESSES)('a body for %s that never ends', (address) => {
  it.each([
    ['without a token', [`content-length: ${ENDLESS_BYTES * 2}`], '401'],
    ['without a token or a length', ['transfer-encoding: chunked'], '401'],
    ['with a wrong one', ['x-token: wrong', `content-length: ${ENDLESS_BYTES * 2}`], '401'],
    ['with the right one', [`x-token: ${AP_TOKEN}`, `content-length: ${ENDLESS_BYTES * 2}`], '400'],
    ['with the right one, without a length', [`x-token: ${AP_TOKEN}`, 'transfer-encoding: chunked'], '400'],
  ])('%s is not read to its end, and nothing is kept', async (_what, head, status) => {
    const { answer, sentBytes } = await postEndlessly(`${core.core.url}${address}`, ['content-type: application/xml', ...head]);
    // A client that is cut while it sends may not have heard the answer.
    if (answer !== '') expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(sentBytes).toBeLessThan(ENDLESS_BYTES);
    expect(await received()).toEqual([]);
  });
});

it.each(ADDRESSES)(
  `${GUESSES} guesses of the token at %s spend the budget of their address, and keep the access point out of nothing`,
  async (address) => {
    const statuses = new Map<number, number>();
    for (let n = 0; n < GUESSES; n++) {
      const headers = n % 2 ? { 'x-token': `guess ${n}` } : {};
      const { status } = await request(`${core.core.url}${address}`, { body: envelope(), headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [401, REQUESTS],
      [429, GUESSES - REQUESTS],
    ]);
    expect((await handOver(core.core.url, envelope())).status).toBe(200);
    expect(await received()).toHaveLength(1);
  },
);

it(`an envelope that is posted ${REPLAYS} times, at once and again, is one document`, async () => {
  const post = async (n: number): Promise<string> => {
    const told: unknown = await (await handOver(core.core.url, envelope(n))).json();
    return JSON.stringify(told);
  };
  const answers = await Promise.all(Array.from({ length: REPLAYS }, (_, n) => post(1 + (n % 2))));
  expect(answers.filter((answer) => answer.includes('"taken"'))).toHaveLength(2);
  expect(answers.filter((answer) => answer.includes('"known"'))).toHaveLength(REPLAYS - 2);
  expect(await post(1)).toContain('"known"');
  expect(await received()).toHaveLength(2);
});
