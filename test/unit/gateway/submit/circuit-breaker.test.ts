// Who may go before his time when a service that was silent answers again.
import { describe, expect, it } from 'vitest';
import { CircuitBreaker, EVERYWHERE } from '#gateway/submit/circuit-breaker.ts';

const MINUTE = 60_000;
const HERE = 'acme-ab Invoice';
const THERE = 'other Invoice';

function opened(startMs = 0) {
  let now = startMs;
  const breaker = new CircuitBreaker(() => now);
  return {
    breaker,
    wait: (ms: number): void => {
      now += ms;
    },
  };
}

describe('an answer', () => {
  it('lets a few go, those that wait longest first, and the next one the next', () => {
    const { breaker } = opened();
    for (const item of ['a', 'b', 'c', 'd', 'e']) breaker.failed(HERE, item);
    expect(breaker.answered(HERE)).toEqual(['a', 'b', 'c', 'd']);
    expect(breaker.answered(HERE)).toEqual(['e']);
    expect(breaker.answered(HERE)).toEqual([]);
  });

  it.each([THERE, EVERYWHERE])('to %o lets those go that wait elsewhere', (place) => {
    const { breaker } = opened();
    breaker.failed(HERE, 'a');
    expect(breaker.answered(place)).toEqual(['a']);
    expect(breaker.answered(HERE)).toEqual([]);
  });

  it('elsewhere lets nobody go whose own place alone is silent', () => {
    const { breaker, wait } = opened();
    breaker.answered(THERE);
    wait(MINUTE / 2);
    breaker.failed(HERE, 'a');
    expect(breaker.answered(THERE)).toEqual([]);
    expect(breaker.answered(HERE)).toEqual(['a']);
  });

  it('lets nobody go who failed soon after one, and those who failed a minute after it', () => {
    const { breaker, wait } = opened();
    breaker.answered(HERE);
    wait(MINUTE - 1);
    breaker.failed(HERE, 'sick');
    wait(1);
    breaker.failed(HERE, 'unlucky');
    expect(breaker.answered(HERE)).toEqual(['unlucky']);
  });

  it('lets nobody go who is tried anyway', () => {
    const { breaker } = opened();
    breaker.failed(HERE, 'a');
    breaker.tried('a');
    expect(breaker.answered(HERE)).toEqual([]);
  });
});

it('a clock that was put back makes no place answer', () => {
  const { breaker, wait } = opened(30 * MINUTE);
  breaker.answered(HERE);
  wait(-20 * MINUTE);
  breaker.failed(HERE, 'a');
  expect(breaker.answered(HERE)).toEqual(['a']);
});
