// What a gateway makes of rings from another process.
import { expect, it, onTestFinished } from 'vitest';
import { MemoryQueue } from '#engines/memory/queue.ts';
import type { Topic } from '#engines/queue.ts';
import { nextTurn } from '#gateway/model/share.ts';
import { hearFromOthers } from '#gateway/rings.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../support/clock.ts';

const ITEM = '01JZ0000000000ABCDEFGH1234';

const turn = (): Promise<void> => new Promise((turned) => setImmediate(turned));

function open() {
  const clock = manualClock();
  const queue = new MemoryQueue(clock, openLog('error', { write: () => undefined }));
  onTestFinished(() => queue.close());
  const looks: string[] = [];
  queue.answer('incoming', 8, async (id) => void looks.push(id));
  const others: string[] = [];
  queue.answer('turned-away', 8, async (id) => void others.push(`turned-away ${id}`));
  queue.answer('submit', 8, async (id) => void others.push(`submit ${id}`));
  const accounts = { find: (accountRegNo: string) => (accountRegNo.startsWith('buyer') ? { accountRegNo } : undefined) };
  const hear = hearFromOthers({
    accounts,
    queue,
    following: { ring: (accountRegNo, family) => void others.push(`status ${accountRegNo} ${family}`) },
    clock,
  });
  return { clock, looks, others, hear };
}

it('looks at once, and for all that come within a moment once more, when it is their turn', async () => {
  const { clock, looks, hear } = open();
  for (let ring = 0; ring < 100; ring++) hear('incoming', 'buyer Invoice');
  hear('incoming', 'buyer Order');
  expect(looks).toEqual(['buyer Invoice', 'buyer Order']);
  await turn();
  const untilTurn = nextTurn('buyer Invoice', 1_500, clock.now()) - clock.now();
  clock.advance(untilTurn - 1);
  expect(looks).toHaveLength(2);
  clock.advance(1);
  expect(looks).toEqual(['buyer Invoice', 'buyer Order', 'buyer Invoice']);
  await turn();
  clock.advance(60_000);
  hear('incoming', 'buyer Invoice');
  expect(looks).toHaveLength(4);
});

it('those that are rung for together take turns from then on, spread over the time between two looks', async () => {
  const { clock, looks, hear } = open();
  const feeds = Array.from({ length: 64 }, (_, at) => `buyer${at} Invoice`);
  const ring = (): void => feeds.forEach((feed) => void hear('incoming', feed));
  ring();
  await turn();
  ring();
  const inTenths: number[] = [];
  for (let tenth = 0; tenth < 15; tenth++) {
    looks.length = 0;
    clock.advance(100);
    inTenths.push(looks.length);
    await turn();
  }
  expect(inTenths.reduce((sum, each) => sum + each)).toBe(feeds.length);
  expect(Math.max(...inTenths)).toBeLessThan(feeds.length / 4);
});

it('keeps no look waiting for a clock that was put back', async () => {
  const { clock, looks, hear } = open();
  hear('incoming', 'buyer Invoice');
  await turn();
  clock.step(-3_600_000);
  hear('incoming', 'buyer Invoice');
  expect(looks).toHaveLength(2);
});

it('hands on items, statuses and what was turned away', () => {
  const { others, hear } = open();
  hear('submit', ITEM);
  hear('status', 'buyer Invoice');
  hear('turned-away', 'buyer');
  expect(others).toEqual([`submit ${ITEM}`, 'status buyer Invoice', 'turned-away buyer']);
});

it.each<[Topic, string]>([
  ['incoming', 'seller Invoice'],
  ['incoming', 'buyer Zebra'],
  ['incoming', ''],
  ['status', 'seller Invoice'],
  ['turned-away', 'seller'],
  ['submit', 'item'],
  ['submit', `${ITEM}0`],
  ['publish', 'buyer Invoice'],
  ['unread', 'buyer Invoice 4711'],
])('drops %s %s', (topic, id) => {
  const { clock, looks, others, hear } = open();
  hear(topic, id);
  clock.advance(60_000);
  expect([...looks, ...others]).toEqual([]);
});
