import { expect, it } from 'vitest';
import { giveBack, lend } from '#gateway/sftp/protocol/packet-buffers.ts';

it('large buffers are used again, by one at a time', () => {
  const first = lend(200_000);
  const second = lend(100_000);
  expect([first.length, second.length]).toEqual([200_000, 100_000]);
  expect(second.buffer).not.toBe(first.buffer);
  giveBack(first.subarray(4, 1_000));
  giveBack(first);
  const [third, fourth] = [lend(262_148), lend(262_148)];
  expect(third.buffer).toBe(first.buffer);
  expect(fourth.buffer).not.toBe(first.buffer);
});

it('small ones, larger ones, and what was never lent are none of its business', () => {
  const own = Buffer.alloc(200_000);
  giveBack(own);
  expect(lend(200_000).buffer).not.toBe(own.buffer);
  const small = lend(1_000);
  giveBack(small);
  expect(lend(1_000).length).toBe(1_000);
  expect(lend(300_000).length).toBe(300_000);
});
