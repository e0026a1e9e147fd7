// Sentences of receipts: what the message asks for is what the action says, in amounts that a person reads.
import { expect, it } from 'vitest';
import { changedOnDisk, tooLarge, vanished, waitsForName } from '#gateway/model/receipt-sentences.ts';

it('a file that waits for its name says how long it may wait', () => {
  expect(waitsForName(20 * 60_000).message).toContain('after 20 minutes it is refused');
  expect(waitsForName(86_400_000).message).toContain('after 24 hours it is refused');
});

it('a file that is too large says the limit as it is set', () => {
  expect(tooLarge(25_000_000, 20 * 2 ** 20).message).toContain('The file has 25000000 bytes; 20 MiB is the limit.');
});

it.each([changedOnDisk(), vanished()])('who is to wait is not asked to drop the document: $message', ({ action, message }) => {
  expect(action).toBe('wait');
  expect(message).not.toMatch(/\bdrop/);
});
