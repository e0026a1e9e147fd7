// `npm run test:timing`: logins that are there and logins that are not are refused in the same time: over 500 pairs of tries the
// median of their differences is less than 5 %. A script of its own, because what else a machine does may spoil any one run.
import { measure } from './login-times.ts';

const TRIES = 500;
const DIFFERENCE_MAX = 0.05;
/** Of several runs one may have met something else; a real difference shows in all. */
const RUNS_MAX = 3;

for (const way of ['password', 'keyboard-interactive', 'publickey'] as const) {
  let isSame = false;
  for (let run = 0; run < RUNS_MAX && !isSame; run++) {
    const { knownMs, unknownMs, difference } = await measure(way, TRIES);
    isSame = difference < DIFFERENCE_MAX;
    const times = `a login that is there ${knownMs.toFixed(3)} ms, one that is not ${unknownMs.toFixed(3)} ms`;
    console.log(`${way}: ${times}, difference ${(difference * 100).toFixed(1)} %${isSame ? '' : ', too much'}`);
  }
  if (!isSame) process.exitCode = 1;
}
