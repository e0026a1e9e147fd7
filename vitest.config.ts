// The test runner: unit (milliseconds, no daemon), flow (parts wired together in process), e2e (the real daemon, real clients),
// and long (minutes; for continuous integration).
import { defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    // By itself it takes one core less than there are, which on two is half; most tests wait for something.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/conformance/**/*.test.ts', 'test/fuzz/**/*.test.ts'],
          exclude: [LONG],
          testTimeout: 10_000,
        },
      },
      { test: { name: 'flow', include: ['test/flow/**/*.test.ts'], exclude: [LONG], testTimeout: 30_000, hookTimeout: 30_000 } },
      {
        // A service at a given address has one budget, which may have to be waited for, and one set of documents: one file at a time.
        test: {
          name: 'api',
          include: ['test/api/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
          fileParallelism: process.env.DROPGATE_API_URL === undefined,
        },
      },
      {
        // A daemon, its clients and the disk are shared with nobody: one file at a time, after the other projects.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [LONG],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Other people's clients against one daemon, and attacks on a server, short unless by `npm run test:attack`: not part of `npm test`.
        test: {
          name: 'interop',
          include: ['test/interop/**/*.test.ts', 'test/attack/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'long',
          include: [LONG],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
