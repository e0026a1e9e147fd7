// What tells the response to an order from every other.
import { expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { type AnsweredOrder, responseItem, responseNumber } from '#gateway/spool/response-identity.ts';
import { systemRandom } from '#runtime/clock.ts';

const ORDER: AnsweredOrder = { documentId: 'PO-4711', sender: '0088:1', receiver: '0088:2', sha256: 'a'.repeat(64) };

it('its number is that of the order, and another one for whatever is another order, or another answer', () => {
  const number = responseNumber(ORDER, 'accept');
  expect(number).toMatch(/^PO-4711-[0-9A-Z]{8}$/);
  expect(responseNumber({ ...ORDER }, 'accept')).toBe(number);
  const others = [{ sender: '0088:3' }, { receiver: '0088:3' }, { sha256: 'b'.repeat(64) }].map((change) =>
    responseNumber({ ...ORDER, ...change }, 'accept'),
  );
  expect(new Set([number, ...others, responseNumber(ORDER, 'reject'), responseNumber(ORDER, 'query')]).size).toBe(6);
});

it('its number is no longer than a number may be', () => {
  expect(responseNumber({ ...ORDER, documentId: 'P'.repeat(200) }, 'accept')).toHaveLength(49);
});

it('its item is made of the move, in the form of all others', () => {
  const newId = itemIds(() => Date.UTC(2026, 10, 21), systemRandom);
  const [move, other] = [newId(), newId()];
  expect(responseItem(move)).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(responseItem(move).slice(0, 10)).toBe(move.slice(0, 10));
  expect(new Set([move, other, responseItem(move), responseItem(move), responseItem(other)]).size).toBe(4);
});
