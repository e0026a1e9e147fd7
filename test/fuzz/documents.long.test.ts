import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { fuzz } from './judge.ts';

/** 20,000; the whole has 100,000. */
const DOCUMENTS = amountOf('DROPGATE_FUZZ_DOCUMENTS');

it(`judges ${DOCUMENTS} documents that somebody got wrong, and says the same of JSON and XML`, async () => {
  // A new seed every day, and printed: what one run finds can be repeated.
  const seed = Math.floor(Date.now() / 86_400_000);
  const fuzzed = await fuzz(seed, DOCUMENTS);
  console.log(`fuzzed documents, seed ${seed}: ${JSON.stringify(fuzzed)}`);
  expect(fuzzed.compared).toBeGreaterThan(DOCUMENTS / 100);
});
