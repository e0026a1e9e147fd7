// The listener for hints under those who post to it: without its secret, with a wrong one, with bodies that never end, and again what was posted
// before. What proves nothing is not read; what does rings for its own account, and no more.
import { connect } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { digestOfSecret, startListening } from '#gateway/service/hint-listener.ts';
import { openLog } from '#runtime/log.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { manualClock } from '../support/clock.ts';
import { request } from '../support/core.ts';
import { ENDLESS_BYTES, postEndlessly } from '../support/endless-post.ts';
import { amount } from './amounts.ts';

const POSTS = amount(500, 20_000);
const JSON_BODY = 'content-type: application/json';

let url: string;
let rung: string[];
let log: Record<string, unknown>[];
beforeEach(async () => {
  rung = [];
  log = [];
  const clock = manualClock();
  const told = openLog('info', { write: (line) => void log.push(JSON.parse(line)) });
  const listener = await startListening({
    listen: { host: '127.0.0.1', port: 0 },
    settings: { tls: null, behindProxy: false },
    secretOf: async (accountRegNo) => (accountRegNo === 'buyer' ? digestOfSecret('right') : undefined),
    ring: (accountRegNo, family) => rung.push(`${accountRegNo} ${family}`),
    clock,
    log: told,
    throttle: new LogThrottle(told, clock),
  });
  onTestFinished(() => listener.close());
  url = listener.url;
});

describe('a body that never ends', () => {
  it.each([
    ['without a secret', [`content-length: ${ENDLESS_BYTES * 2}`], '401'],
    ['without a secret or a length', ['transfer-encoding: chunked'], '401'],
    ['with a wrong one', ['x-dropgate-hint: wrong', `content-length: ${ENDLESS_BYTES * 2}`], '401'],
    ['with the right one', ['x-dropgate-hint: right', `content-length: ${ENDLESS_BYTES * 2}`], '400'],
  ])('%s is not read to its end, and rings for nothing', async (_what, head, status) => {
    const { answer, sentBytes } = await postEndlessly(`${url}/hints/buyer`, [JSON_BODY, ...head]);
    // A client that is cut while it sends may not have heard the answer.
    if (answer !== '') expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(sentBytes).toBeLessThan(ENDLESS_BYTES);
    expect(rung).toEqual([]);
  });

  it('that comes by a byte now and then is cut', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      'POST /hints/buyer HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-dropgate-hint: right\r\ncontent-length: 1000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write(' '), 200);
    onTestFinished(() => clearInterval(drip));
    await closed;
    expect(rung).toEqual([]);
  });
});

it(`${POSTS} guesses of a secret get sixty answers and a few lines in the log`, async () => {
  const statuses = new Map<number, number>();
  for (let n = 0; n < POSTS; n++) {
    const { status } = await request(`${url}/hints/buyer`, { body: '{}', headers: { 'x-dropgate-hint': `guess ${n}` } });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [401, 60],
    [429, POSTS - 60],
  ]);
  expect(log.filter(({ event }) => event === 'hints.refused')).toHaveLength(60);
  expect(rung).toEqual([]);
});

it('a hint that is posted again and again, or to another account, rings for its own account only', async () => {
  const body = '{"accountRegNo":"seller","data":{"documentType":"Invoice","direction":"incoming","integrationId":"../../x"}}';
  for (let n = 0; n < 100; n++) {
    expect((await request(`${url}/hints/buyer`, { body, type: 'application/json', headers: { 'x-dropgate-hint': 'right' } })).status).toBe(
      204,
    );
  }
  expect((await request(`${url}/hints/seller`, { body, type: 'application/json', headers: { 'x-dropgate-hint': 'right' } })).status).toBe(
    401,
  );
  expect(new Set(rung)).toEqual(new Set(['buyer Invoice']));
});
