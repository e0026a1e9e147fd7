// The test runner: unit (milliseconds, no daemon), flow (parts wired together in process), e2e (the real daemon, real clients).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 10_000 } },
      { test: { name: 'flow', include: ['test/flow/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 30_000 } },
      {
        // A daemon, its clients and the disk are shared by nobody: one file at a time, and none beside the other projects.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/crash/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
