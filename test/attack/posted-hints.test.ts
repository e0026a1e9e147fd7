// The listener for hints under those who post to it: without its secret, with a wrong one, with bodies that never end, and again what was posted
// before. What proves nothing is not read; what does rings for its own account, and no more.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FAMILY_NAMES } from '#domain/family.ts';
import { digestOfSecret, startListening } from '#gateway/service/listen.ts';
import { openLog } from '#runtime/log.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { manualClock } from '../support/clock.ts';
import { request } from '../support/core.ts';
import { amount } from './amounts.ts';

const POSTS = amount(500, 20_000);
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** More than the system's buffers between two programs take in. */
const ENDLESS_BYTES = 64 * 2 ** 20;

let url: string;
let rung: string[];
let log: Record<string, unknown>[];
beforeEach(async () => {
  rung = [];
  log = [];
  const clock = manualClock();
  const told = openLog('info', { write: (line) => void log.push(JSON.parse(line)) });
  const listener = await startListening({
    settings: { listen: { host: '127.0.0.1', port: 0 }, tls: null, behindProxy: false },
    secretOf: async (accountRegNo) => (accountRegNo === 'buyer' ? digestOfSecret('right') : undefined),
    ring: (accountRegNo, family) => rung.push(`${accountRegNo} ${family}`),
    clock,
    log: told,
    throttle: new LogThrottle(told, clock),
  });
  onTestFinished(() => listener.close());
  url = listener.url;
});

/** Sends what it is given, and a body for as long as the listener takes it; resolves with the answer and the bytes that it took. */
async function post(head: string): Promise<{ answer: string; sent: number }> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  let sent = 0;
  let isOver = false;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  const closed = once(socket, 'close').then(() => {
    isOver = true;
  });
  socket.write(`POST /hints/buyer HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head}\r\n\r\n`);
  while (!isOver && sent < ENDLESS_BYTES) {
    sent += PIECE.length;
    if (!socket.write(PIECE)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  socket.destroy();
  await closed;
  return { answer, sent };
}

describe('a body that never ends', () => {
  it.each([
    ['without a secret', `content-length: ${ENDLESS_BYTES * 2}`, '401'],
    ['with a wrong one', `x-dropgate-hint: wrong\r\ncontent-length: ${ENDLESS_BYTES * 2}`, '401'],
    ['with the right one', `x-dropgate-hint: right\r\ncontent-length: ${ENDLESS_BYTES * 2}`, '400'],
  ])('%s is not read to its end, and rings for nothing', async (_what, head, status) => {
    const { answer, sent } = await post(head);
    // Whoever is cut in mid-sentence may not have heard the answer.
    if (answer !== '') expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(sent).toBeLessThan(ENDLESS_BYTES);
    expect(rung).toEqual([]);
  });

  it('that comes by a byte now and then is cut', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = once(socket, 'close');
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
    expect((await request(`${url}/hints/buyer`, { body, headers: { 'x-dropgate-hint': 'right' } })).status).toBe(204);
  }
  expect((await request(`${url}/hints/seller`, { body, headers: { 'x-dropgate-hint': 'right' } })).status).toBe(401);
  expect(new Set(rung)).toEqual(new Set(['buyer Invoice']));
  expect(FAMILY_NAMES).toContain('Invoice');
});
