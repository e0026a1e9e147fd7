// Hostile clients: bombs, floods, malformed and slow requests, and addresses that are made up.
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRateLimit } from '#core/access/rate-limit.ts';
import type { CoreOptions } from '#core/core.ts';
import { memoryWindows } from '#engines/memory/windows.ts';
import { openLog } from '#runtime/log.ts';
import { calm } from '../../../support/calm.ts';
import { coreOfTest, startTestCore, type TestCore } from '../../../support/core.ts';
import { costOf } from '../../../support/cost.ts';
import { invoice } from '../../../support/documents.ts';
import { needed } from '../../../support/needed.ts';
import { until } from '../../../support/until.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const MIB = 1024 * 1024;

async function start(overrides: Partial<CoreOptions>): Promise<TestCore> {
  const test = await coreOfTest(overrides);
  return test;
}

describe('bombs', () => {
  const CPU_MS_MAX = 250;
  let test: TestCore;
  beforeAll(async () => {
    test = await startTestCore({ bodyMax: 20 * MIB });
  });
  afterAll(() => test[Symbol.asyncDispose]());

  const fill = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length));
  const list = (count: number, item: (at: number) => string): string => Array.from({ length: count }, (_, at) => item(at)).join(' ');
  const inInvoice = (text: string): string => `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">${text}</Invoice>`;
  const ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>';

  /** Built to cost far more than their size; refused as soon as they show it, whatever their size. */
  const BOMBS: [name: string, type: 'xml' | 'json', body: () => string][] = [
    ['entities in entities', 'xml', () => `${ENTITIES}<Invoice>&c;&c;&c;</Invoice>`],
    ['an external entity', 'xml', () => '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><Invoice>&a;</Invoice>'],
    ['an external DTD', 'xml', () => '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><Invoice/>'],
    ['elements inside each other', 'xml', () => inInvoice(fill('<a>', 19 * MIB))],
    ['a million attributes', 'xml', () => `<Invoice ${list(1_000_000, (at) => `a${at}=""`)}/>`],
    ['a million namespaces', 'xml', () => `<Invoice ${list(500_000, (at) => `xmlns:n${at}="u"`)}/>`],
    ['entities that there are not', 'xml', () => inInvoice(fill('&lol;', 19 * MIB))],
    ['lists inside each other', 'json', () => `{"Invoice":${fill('[', 19 * MIB)}`],
    ['objects inside each other', 'json', () => `{"Invoice":${fill('{"A":', 19 * MIB)}`],
    ['the same name again and again', 'json', () => `{"Invoice":{${fill('"A":1,', 19 * MIB)}"A":1}}`],
    ['commas', 'json', () => `{"Invoice":{"ID":[${fill(',', 19 * MIB)}]}}`],
    ['a list of messages', 'json', () => fill('[', 19 * MIB)],
    // Floods cost what their size costs: of 1 MiB, in the form that costs most.
    ['a flood of elements', 'xml', () => inInvoice(fill('<a/>', MIB))],
    ['a flood of namespaces', 'xml', () => inInvoice(fill(`<a ${list(150, (at) => `xmlns:n${at}="u${at}"`)}/>`, MIB))],
    ['a flood of character references', 'xml', () => inInvoice(fill('&#65;', MIB))],
    ['a flood of comments', 'xml', () => `${fill('<!-- -->', MIB)}<Invoice/>`],
    ['a flood of CDATA', 'xml', () => inInvoice(fill('<![CDATA[]]>', MIB))],
    ['one endless name', 'xml', () => `<${fill('a', MIB)}/>`],
    ['a flood of values', 'json', () => `{"Invoice":{"ID":[${fill('1,', MIB)}1]}}`],
    ['a flood of objects', 'json', () => `{"Invoice":{"ID":[${fill('{},', MIB)}{}]}}`],
    ['a flood of escapes', 'json', () => `{"Invoice":{"ID":"${fill('\\u0041', MIB)}"}}`],
    ['one endless number', 'json', () => `{"Invoice":{"ID":${fill('1', MIB)}}}`],
    ['an exponent without end', 'json', () => `{"Invoice":{"ID":1e${fill('9', MIB)}}}`],
  ];

  it.each(BOMBS)('%s (%s): refused in under 250 ms of CPU', async (_name, type, body) => {
    const bytes = Buffer.from(body());
    const drop = async (): Promise<void> => {
      const answer = await test.call(OUT, { body: bytes, type: `application/${type}` });
      expect([400, 422]).toContain(answer.status);
      expect(answer.json.status).toBe('error');
      expect(answer.json.data.length).toBeLessThan(1_000);
    };
    expect(await costOf(drop, CPU_MS_MAX)).toBeLessThan(CPU_MS_MAX);
  });

  it('afterwards it answers as before', async () => {
    expect((await test.call(OUT, { body: invoice({ id: 'after-the-bombs' }) })).status).toBe(200);
  });
});

/** Sends bytes as they are, and resolves with all that comes back until the other side closes. */
async function raw(test: TestCore, text: string, host = '127.0.0.1'): Promise<string> {
  const socket = connect({ host, port: Number(new URL(test.core.url).port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function parsedAnswer(text: string): { status: number; head: string; json: { status: string; type: string } } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), json: JSON.parse(body) };
}

describe('malformed requests', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header that is too long', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(4_000)}\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nhost: y\r\n\r\n'],
    ['the same host twice', 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nHost: x\r\n\r\n'],
    ['two authorizations', `GET ${OUT} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n`],
    ['no version of HTTP', 'GET /health\r\n\r\n'],
    ['no version of HTTP, and a header', 'GET /health\r\nHost: x\r\n\r\n'],
    ['a version of HTTP that is another protocol', 'GET /health HTTP/2.0\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('S099 S282 S310 S313 %s: 400 in the one envelope, with the budget, and the connection is closed', async (_name, text) => {
    const answer = parsedAnswer(await raw(await start({}), text));
    expect(answer).toMatchObject({ status: 400, json: { status: 'error', type: 'E_BAD_REQUEST' } });
    expect(answer.head).toContain('connection: close');
    for (const name of ['limit', 'remaining', 'reset', 'policy']) expect(answer.head).toContain(`ratelimit-${name}: `);
  });

  it('a client that sends all of a too long body before it reads hears why, and its connection goes on; of one far too long it is cut', async () => {
    const test = await start({});
    const key = `Authorization: ApiKey ${test.seller.apiKey}`;
    const post = (bytes: number): string =>
      `POST ${OUT} HTTP/1.1\r\nHost: x\r\n${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(test.core.url).port) });
    let heard = '';
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        heard += bytes;
      });
    const send = (text: string): Promise<void> => new Promise((sent) => socket.write(text, () => sent()));
    await send(post(MIB + 1));
    await until('the answer', () => heard.includes('maxBytes'));
    await send(' '.repeat(MIB + 1));
    heard = '';
    await send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the next answer', () => heard.includes('HTTP/1.1 200 '));
    await send(post(2 * MIB + 1));
    await once(socket, 'close');
    expect(heard).toContain('HTTP/1.1 400 ');
  });

  it('S282 a path that is no path is a 400 too', async () => {
    const test = await start({});
    const answer = await test.call('/transaction/%ff/invoices/outgoing');
    expect(answer).toMatchObject({ status: 400, json: { status: 'error', type: 'E_BAD_REQUEST' } });
    expect(answer.headers.get('ratelimit-limit')).toBe('60');
    expect((await test.call(`/transaction/${'x'.repeat(2_000)}/invoices/outgoing`)).status).toBeGreaterThanOrEqual(400);
  });

  it('all addresses of one network of IPv6 spend one budget, however they are written; of IPv4 each its own', async () => {
    const limits = createRateLimit(memoryWindows, { requests: 6_000 }, 60_000);
    const spent = async (address: string): Promise<number> => (await limits.address(address)).remaining;
    expect(await spent('2001:db8:1:2::1')).toBe(59);
    expect(await spent('2001:0db8:0001:0002:ffff:ffff:ffff:ffff')).toBe(58);
    expect(await spent('2001:db8:1:3::1')).toBe(59);
    expect(await spent('::ffff:192.0.2.1')).toBe(59);
    expect(await spent('192.0.2.1')).toBe(58);
    expect(await spent('::ffff:192.0.2.2')).toBe(59);
  });

  it('they spend the budget of their address like any other', async () => {
    const test = await start({});
    for (let turn = 0; turn < 60; turn++) await raw(test, 'hello\r\n\r\n');
    const answer = parsedAnswer(await raw(test, 'hello\r\n\r\n'));
    expect(answer).toMatchObject({ status: 429, json: { type: 'E_RATE_LIMITED' } });
    expect(answer.head).toMatch(/retry-after: \d+/);
  });
});

describe('slow clients', () => {
  /** Whoever is cut so late was not cut for being slow. */
  const LONG_MS = 60_000;

  it.each([
    ['a head', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['nothing at all', ''],
  ])('are cut while they send %s', async (_name, text) => {
    const test = await start({ timeouts: { headers: 150, request: 2 * LONG_MS } });
    const begun = performance.now();
    const answer = await raw(test, text);
    expect(performance.now() - begun).toBeLessThan(LONG_MS);
    if (answer !== '') expect(parsedAnswer(answer).status).toBe(400);
  });

  it('are cut while they send a body; nothing is stored', async () => {
    const test = await start({ timeouts: { headers: 150, request: 300 } });
    const head = `POST ${OUT} HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey ${test.seller.apiKey}\r\nContent-Type: application/xml\r\nContent-Length: 1000\r\n\r\n<Inv`;
    const begun = performance.now();
    const answer = await raw(test, head);
    expect(performance.now() - begun).toBeLessThan(LONG_MS);
    if (answer !== '') expect(parsedAnswer(answer).status).toBe(400);
    expect((await test.call(OUT)).status).toBe(204);
  });

  it('that leave in the middle of a body are no error of ours', async () => {
    const log: Record<string, unknown>[] = [];
    const test = await start({ log: openLog('info', { write: (line) => void log.push(JSON.parse(line)) }) });
    const socket = connect(Number(new URL(test.core.url).port), '127.0.0.1');
    const key = `authorization: ApiKey ${test.seller.apiKey}`;
    socket.write(
      `POST ${OUT} HTTP/1.1\r\nhost: x\r\n${key}\r\ncontent-type: application/xml\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n<`,
    );
    await once(socket, 'data');
    // Until then it was let in, as this one after it.
    expect((await test.call(OUT)).status).toBe(204);
    socket.destroy();
    await calm();
    expect((await test.call(OUT)).status).toBe(204);
    expect(log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('without credentials a body is not waited for', async () => {
    const test = await start({});
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(test.core.url).port) });
    socket.write(`POST ${OUT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/xml\r\nContent-Length: 1000\r\n\r\n<Inv`);
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1.1 401 /);
    socket.destroy();
  });
});

describe('proxies', () => {
  const spend = async (test: TestCore) => {
    const statuses = new Set<number>();
    for (let turn = 0; turn < 61; turn++) {
      statuses.add((await test.call('/nothing', { key: null, headers: { 'x-forwarded-for': `10.0.0.${turn}` } })).status);
    }
    return statuses;
  };

  it('what X-Forwarded-For says is believed from the listed proxies only', async () => {
    expect(await spend(await start({}))).toContain(429);
    expect(await spend(await start({ behindProxy: ['192.0.2.1'] }))).toContain(429);
    expect(await spend(await start({ behindProxy: ['127.0.0.0/8'] }))).not.toContain(429);
  });

  it('the last address that a listed proxy has not made up itself is who asks', async () => {
    const test = await start({ behindProxy: ['127.0.0.1'] });
    const remaining = async (forwarded: string) =>
      (await test.call('/nothing', { key: null, headers: { 'x-forwarded-for': forwarded } })).headers.get('ratelimit-remaining');
    expect(await remaining('192.0.2.7')).toBe('59');
    // A client may send the header itself: the proxy appends.
    expect(await remaining('198.51.100.1, 192.0.2.7')).toBe('58');
  });

  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  it.skipIf(!needed('an IPv4 address of this machine', own !== undefined, 'connect it to a network'))(
    'S004 plain HTTP is for them and this machine: whoever else connects is cut',
    async () => {
      const listen = { host: '0.0.0.0', port: 0 };
      const request = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const elsewhere = await start({ listen, behindProxy: ['192.0.2.1'] });
      expect(await raw(elsewhere, request, own)).toBe('');
      expect(await raw(elsewhere, request)).toMatch(/^HTTP\/1.1 200 /);
      expect(await raw(await start({ listen, behindProxy: [own ?? ''] }), request, own)).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  it('S004 without TLS and without proxies it does not listen where others could', async () => {
    await expect(startTestCore({ listen: { host: '0.0.0.0', port: 0 } })).rejects.toMatchObject({ code: 'usage' });
  });
});
