// Logins that are there and logins that are not are refused in the same time: the medians over 500 tries differ by less than 5 %.
import { expect, it } from 'vitest';
import { measure } from './login-times.ts';

const TRIES = 500;
const DIFFERENCE_MAX = 0.05;

// Of two runs one may have met something else that the machine does; a real difference shows in all.
it.each(['password', 'keyboard-interactive', 'publickey'] as const)('%s', { retry: 2 }, async (way) => {
  const times = await measure(way, TRIES);
  const { knownMs, unknownMs, difference } = times;
  console.log(
    `${way}: a login that is there ${knownMs.toFixed(3)} ms, one that is not ${unknownMs.toFixed(3)} ms, difference ${(difference * 100).toFixed(1)} %`,
  );
  expect(difference).toBeLessThan(DIFFERENCE_MAX);
});
