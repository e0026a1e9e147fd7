// How long a service wants to be left alone: seconds, a date, or a number in its body; never for ever.
import { expect, it } from 'vitest';
import { waitOf429 } from '#gateway/service/budget.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

it.each([
  ['7', undefined, 7_000],
  ['0', undefined, 1_000],
  ['Sat, 21 Nov 2026 10:00:30 GMT', undefined, 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', undefined, 1_000],
  ['Sun, 21 Nov 2027 10:00:00 GMT', undefined, 86_400_000],
  ['999999999', undefined, 86_400_000],
  ['soon', undefined, 60_000],
  [null, 11, 11_000],
  ['7', 11, 7_000],
  [null, 'eleven', 60_000],
  [null, undefined, 60_000],
])('Retry-After %s, retryAfterSeconds %s: %d ms', (header, told, expected) => {
  const headers = new Map(header === null ? [] : [['retry-after', header]]);
  expect(waitOf429(headers, NOW, told)).toBe(expected);
});

it('a date is counted from the date of the answer, whatever our clock says', () => {
  const headers = new Map([
    ['retry-after', 'Sun, 22 Nov 2026 10:00:30 GMT'],
    ['date', 'Sun, 22 Nov 2026 10:00:00 GMT'],
  ]);
  expect(waitOf429(headers, NOW)).toBe(30_000);
});
