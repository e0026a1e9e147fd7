import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { fuzz } from './judge.ts';

/** 20,000; the whole has 100,000. */
const DOCUMENTS = amountOf('DROPGATE_FUZZ_DOCUMENTS');

it(`judges ${DOCUMENTS} documents that somebody got wrong, and says the same of JSON and XML`, async () => {
  // A new seed every day, and printed: what one run finds can be repeated.
  const seed = Math.floor(Date.now() / 86_400_000);
  const { documents, unreadable, invalid, compared, slowestMs } = await fuzz(seed, DOCUMENTS);
  console.log(
    `fuzzed documents: ${documents}, ${unreadable} unreadable when torn, ${invalid} found faulty, ${compared} the same in XML and JSON, the slowest judged in ${slowestMs.toFixed(1)} ms, seed ${seed}`,
  );
  expect(compared).toBeGreaterThan(DOCUMENTS / 100);
});
