// When a document is looked for before it is posted once more, and how long a service has been silent.
import { describe, expect, it } from 'vitest';
import { type Attempts, isDoubtful } from '#gateway/ledger/attempts.ts';
import { mustLook, silenceIn } from '#gateway/submit/history.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Attempts of these outcomes, each so many milliseconds ago. */
function attempts(...tries: [outcome: string | null, agoMs: number][]): Pick<Attempts, 'tries'> {
  return { tries: tries.map(([outcome, agoMs]) => ({ outcome, at: NOW - agoMs, silenceMs: null })) };
}

const IN_FLIGHT = Array.from({ length: 15 }, (_, index): [string, number] => ['in-flight', (15 - index) * MINUTE]);

describe('looking before posting', () => {
  it.each([
    ['nothing was tried', attempts(), {}, false],
    ['an answer was lost a minute ago', attempts([null, MINUTE]), {}, false],
    ['an answer was lost two hours ago', attempts([null, 2 * HOUR]), {}, true],
    ['the process was started again since', attempts(['lost', MINUTE]), {}, true],
    ['the family may not know keys', attempts([null, MINUTE]), { keys: false }, true],
    ['the clock was put back since', attempts([null, -HOUR]), {}, true],
    ['ten minutes in flight', attempts(...IN_FLIGHT), {}, true],
    ['every answer is known', attempts(['no-receiver', 20 * HOUR], ['paused', HOUR]), { keys: false }, false],
    ['what is there is to be sent once more, with its key', attempts([null, 2 * HOUR]), { repeats: true }, false],
    ['and the key may be forgotten', attempts([null, 23.5 * HOUR]), { repeats: true }, true],
  ])('%s', (_, before, question, expected) => {
    expect(mustLook(before, { now: NOW, keys: true, repeats: false, ...question })).toBe(expected);
  });
});

it.each([
  [null, true],
  ['lost', true],
  ['in-flight', true],
  ['unseen', false],
  ['paused', false],
  ['no-receiver', false],
  ['key-renewed', false],
])('after %s the service may have the document: %s', (outcome, expected) => {
  expect(isDoubtful({ outcome })).toBe(expected);
});

describe('silence', () => {
  it.each([
    ['none', attempts(), 0, 0],
    ['since the first of several', attempts([null, 3 * HOUR], ['unseen', 2 * HOUR], ['lost', HOUR]), 3, 3 * HOUR],
    ['not while the daemon was off', attempts([null, 100 * HOUR], [null, HOUR]), 2, 7 * HOUR],
    ['not for a clock that was put forward', attempts([null, 50 * HOUR]), 1, 6 * HOUR],
    ['nor for one that was put back', attempts([null, -HOUR]), 1, 0],
    ['not for answers', attempts(['paused', 9 * HOUR], [null, MINUTE]), 1, MINUTE],
  ])('%s', (_, before, tries, lastsMs) => {
    expect(silenceIn(before, NOW)).toEqual({ tries, lastsMs });
  });
});

describe('what others of its account and family tried in vain', () => {
  const tried = (...silences: (number | null)[]): Pick<Attempts, 'tries'> => ({
    tries: silences.map((silenceMs, index) => ({ outcome: null, at: NOW - (silences.length - index) * 8 * HOUR, silenceMs })),
  });

  it.each([
    ['counts since its own first try', tried(5 * HOUR, 13 * HOUR), 21 * HOUR, 16 * HOUR],
    ['since the first that did not break off', tried(null, 13 * HOUR), 30 * HOUR, 17 * HOUR],
    ['not where all of its tries broke off', tried(null, null), 100 * HOUR, 12 * HOUR],
    ['never takes from what it tried itself', tried(50 * HOUR, 51 * HOUR), 0, 12 * HOUR],
  ])('%s', (_, before, hereMs, lastsMs) => {
    expect(silenceIn(before, NOW, hereMs).lastsMs).toBe(lastsMs);
  });
});
