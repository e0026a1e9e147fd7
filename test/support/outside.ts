// A server of a test that throws would answer nothing, and the test would wait for its answer: what is thrown outside of a test, in its
// process, ends the test that runs at once.
import { aroundEach } from 'vitest';

aroundEach(async (runTest) => {
  const { promise: thrown, reject } = Promise.withResolvers<never>();
  process.on('uncaughtException', reject);
  process.on('unhandledRejection', reject);
  try {
    await Promise.race([runTest(), thrown]);
  } finally {
    process.off('uncaughtException', reject);
    process.off('unhandledRejection', reject);
  }
});
