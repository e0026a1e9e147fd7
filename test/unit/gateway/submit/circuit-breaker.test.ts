// Who may go before his time when a service that was silent answers again.
import { describe, expect, test } from 'vitest';
import { EVERYWHERE, openSilenced } from '#gateway/submit/circuit-breaker.ts';

const MINUTE = 60_000;
const HERE = 'acme-ab Invoice';
const THERE = 'other Invoice';

function opened(startMs = 0) {
  let now = startMs;
  const silenced = openSilenced(() => now);
  return {
    silenced,
    wait: (ms: number): void => {
      now += ms;
    },
  };
}

describe('an answer', () => {
  test('lets a few go, those that wait longest first, and the next one the next', () => {
    const { silenced } = opened();
    for (const item of ['a', 'b', 'c', 'd', 'e']) silenced.add(item, HERE);
    expect(silenced.answered(HERE)).toEqual(['a', 'b', 'c', 'd']);
    expect(silenced.answered(HERE)).toEqual(['e']);
    expect(silenced.answered(HERE)).toEqual([]);
  });

  test.each([THERE, EVERYWHERE])('to %o lets those go that wait elsewhere', (place) => {
    const { silenced } = opened();
    silenced.add('a', HERE);
    expect(silenced.answered(place)).toEqual(['a']);
    expect(silenced.answered(HERE)).toEqual([]);
  });

  test('elsewhere lets nobody go whose own place alone is silent', () => {
    const { silenced, wait } = opened();
    silenced.answered(THERE);
    wait(MINUTE / 2);
    silenced.add('a', HERE);
    expect(silenced.answered(THERE)).toEqual([]);
    expect(silenced.answered(HERE)).toEqual(['a']);
  });

  test('lets nobody go who failed soon after one, and those who failed a minute after it', () => {
    const { silenced, wait } = opened();
    silenced.answered(HERE);
    wait(MINUTE - 1);
    silenced.add('sick', HERE);
    wait(1);
    silenced.add('unlucky', HERE);
    expect(silenced.answered(HERE)).toEqual(['unlucky']);
  });

  test('lets nobody go who is tried anyway', () => {
    const { silenced } = opened();
    silenced.add('a', HERE);
    silenced.delete('a');
    expect(silenced.answered(HERE)).toEqual([]);
  });
});

test('a clock that was put back makes no place answer', () => {
  const { silenced, wait } = opened(30 * MINUTE);
  silenced.answered(HERE);
  wait(-20 * MINUTE);
  silenced.add('a', HERE);
  expect(silenced.answered(HERE)).toEqual(['a']);
});
