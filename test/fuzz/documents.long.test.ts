import { expect, it } from 'vitest';
import { fuzz } from './judge.ts';

/** DROPGATE_FUZZ_DOCUMENTS sets another number. */
const DOCUMENTS = Number(process.env.DROPGATE_FUZZ_DOCUMENTS ?? 100_000);

it(`judges ${DOCUMENTS} documents that somebody got wrong, and says the same of JSON and XML`, () => {
  // A new seed every day, and printed: what one run finds can be repeated.
  const seed = Math.floor(Date.now() / 86_400_000);
  const fuzzed = fuzz(seed, DOCUMENTS);
  console.log(`fuzzed documents, seed ${seed}: ${JSON.stringify(fuzzed)}`);
  expect(fuzzed.compared).toBeGreaterThan(DOCUMENTS / 100);
});
