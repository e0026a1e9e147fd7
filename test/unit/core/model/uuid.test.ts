import { expect, test } from 'vitest';
import { newTimedUuid, newUuid } from '#core/model/uuid.ts';

const ONES = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(0xff);
const ZEROS = (bytes: number): Uint8Array => new Uint8Array(bytes);

test('a random UUID says its version and variant', () => {
  expect(newUuid(ONES)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  expect(newUuid(ZEROS)).toBe('00000000-0000-4000-8000-000000000000');
});

test('a UUID with a time begins with it, so that later ones sort behind', () => {
  // RFC 9562, appendix A.6.
  expect(newTimedUuid(ONES, 0x017f22e279b0)).toBe('017f22e2-79b0-7fff-bfff-ffffffffffff');
  expect(newTimedUuid(ZEROS, 0x017f22e279b1) > newTimedUuid(ONES, 0x017f22e279b0)).toBe(true);
});
