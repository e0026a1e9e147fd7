// The core asked by another thread: the same answers as over a connection, with the same credentials and budgets.
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { type AnswerPart, answerPortHttp, openPortHttp, type PortRequest } from '#runtime/threads/port-http.ts';
import { type Answer, type Call, startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { until } from '../../../support/until.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startedCore(overrides: Parameters<typeof startTestCore>[0] = {}): Promise<TestCore> {
  const test = await startTestCore(overrides);
  ends.push(() => test[Symbol.asyncDispose]());
  return test;
}

/** The request that a call makes over a connection. */
function requestOf(path: string, { key, body, type = 'application/xml', accept, idempotencyKey, method, headers = {} }: Call): PortRequest {
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    headers: {
      ...(key && { authorization: `ApiKey ${key}` }),
      ...(body !== undefined && { 'content-type': type }),
      ...(accept && { accept }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: body === undefined ? null : Buffer.from(body),
  };
}

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function asking(test: TestCore): (path: string, call: Call) => Promise<Told> {
  const { port1, port2 } = new MessageChannel();
  const answering = answerPortHttp(port2, test.core.answer);
  const exchange = openPortHttp(port1);
  ends.push(() => answering.close());
  return async (path, call) => {
    const pieces: Buffer[] = [];
    const { status, headers } = await exchange.ask(
      requestOf(path, { key: test.seller.apiKey, ...call }),
      () => (piece) => pieces.push(piece),
      10_000,
    );
    return { status, headers, text: Buffer.concat(pieces).toString() };
  };
}

const LISTS = '/transaction/seller/invoices/outgoing';
/** What only a connection has, and what moves on with each request. */
const OF_THE_MOMENT = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'ratelimit-remaining', 'ratelimit-reset'];

function comparable({ status, headers, text }: Told | Answer): unknown {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return { status, text, headers: Object.fromEntries(entries.filter(([name]) => !OF_THE_MOMENT.includes(name)).sort()) };
}

const CALLS: readonly (readonly [title: string, path: string, call: Call])[] = [
  ['a list', LISTS, {}],
  ['a document', LISTS, { accept: 'application/xml' }],
  ['statuses', `${LISTS}/status?includeRead=true`, {}],
  ['an empty page', `${LISTS}?documentId=none`, { accept: 'application/xml' }],
  ['the answer to a key that is repeated', LISTS, { body: invoice({ id: 'A1' }), idempotencyKey: 'the-key-of-A1' }],
  ['a duplicate', LISTS, { body: invoice({ id: 'A1' }) }],
  ['a document that is none', LISTS, { body: 'rubbish' }],
  ['a body of another type', LISTS, { body: 'rubbish', type: 'text/plain' }],
  ['a body that is too large', LISTS, { body: Buffer.alloc(1024 * 1024 + 1) }],
  ['no body', LISTS, { method: 'POST', headers: { 'content-type': 'application/xml' } }],
  ['a bad query', `${LISTS}?limit=0`, {}],
  ['a bad path', '/transaction/%zz/invoices/outgoing', {}],
  ['no endpoint', '/nowhere', {}],
  ['no credentials', LISTS, { key: null }],
  ["somebody else's credentials", '/transaction/buyer/invoices/incoming', {}],
  ['an error in XML', `${LISTS}?limit=0`, { accept: 'application/xml' }],
  ['JSON that is written by a schema', '/health', { key: null }],
];

it('answers as over a connection', async () => {
  const test = await startedCore();
  const ask = asking(test);
  const created = await ask(LISTS, { body: invoice({ id: 'A1' }), idempotencyKey: 'the-key-of-A1' });
  expect(created).toMatchObject({ status: 200, headers: { 'content-type': 'application/json', integrationid: expect.any(String) } });
  for (const [title, path, call] of CALLS)
    expect(comparable(await ask(path, call)), title).toEqual(comparable(await test.call(path, call)));
});

it('charges who has no credentials to the budget of this machine, and believes no forwarded address', async () => {
  const test = await startedCore({ behindProxy: ['10.0.0.1'] });
  const ask = asking(test);
  const remaining = async (forwarded?: string): Promise<number> =>
    Number((await ask(LISTS, { key: null, headers: forwarded ? { 'x-forwarded-for': forwarded } : {} })).headers['ratelimit-remaining']);
  const over = await test.call(LISTS, { key: null });
  const before = Number(over.headers.get('ratelimit-remaining'));
  expect([await remaining(), await remaining('192.0.2.1')]).toEqual([before - 1, before - 2]);
});

it('a long answer waits for what was sent of it to be taken, and ends when nobody wants it any more', async () => {
  const test = await startedCore({ bodyMax: 8 * 1024 * 1024 });
  for (const id of ['A1', 'A2', 'A3']) {
    await test.call(LISTS, { body: invoice({ id, note: 'x'.repeat(2_000_000) }) });
  }
  const whole = await asking(test)(LISTS, {});
  expect(whole.text).toBe((await test.call(LISTS)).text);
  expect(whole.text.length).toBeGreaterThan(6_000_000);

  for (const end of ['taken', 'cut'] as const) {
    const parts: AnswerPart[] = [];
    const hearing = test.core.answer(requestOf(LISTS, { key: test.seller.apiKey }), (part) => parts.push(part));
    const bytes = (): number => parts.reduce((sum, { piece }) => sum + (piece?.byteLength ?? 0), 0);
    await until('the first document', () => bytes() > 1_000_000);
    for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
    expect(bytes()).toBeLessThan(4_000_000);
    if (end === 'cut') {
      hearing.cut();
      expect(parts.at(-1)).toMatchObject({ state: 'lost' });
      continue;
    }
    let told = 0;
    await until('the end', () => {
      const untold = bytes() - told;
      told += untold;
      hearing.taken(untold);
      return parts.at(-1)?.state === 'end';
    });
    expect(bytes()).toBe(Buffer.byteLength(whole.text));
  }
});
