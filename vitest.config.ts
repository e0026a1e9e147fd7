// The test runner: unit (milliseconds, no daemon), flow (parts wired together in process), e2e (the real daemon, real clients),
// and long (minutes; for continuous integration). No test is to fail for a slow machine, and none is to wait long for what never comes: what is
// long by nature says so itself.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { engine, isOnPostgres } from './test/support/engine.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { LONG_MS, patienceMs } from './test/support/patience.ts';
import { TEMPORARY } from './test/support/temporary.ts';

const LONG = 'test/**/*.long.test.ts';
/** Takes the place of functions of node:fs before the parts that it watches are loaded. */
const ALONE = 'test/flow/power-lost.test.ts';
const COMPILED = 'test/support/compiled.ts';
const POSTGRES = 'test/support/postgres-setup.ts';
const TEMPORARY_FILES = 'test/support/temporary.ts';
const SUMMARY = './test/support/summary-reporter.ts';
const setupFiles = ['test/support/outside.ts', ...(isOnPostgres ? ['test/support/own-database-setup.ts'] : [])];

const LIMIT_MS = patienceMs();
const limits = { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS };
/** Of `npm test`. */
const usual = { setupFiles, globalSetup: [TEMPORARY_FILES, POSTGRES], env: { TMPDIR: TEMPORARY } };
const isServiceElsewhere = process.env.DROPGATE_API_URL !== undefined;
/** Of tests that start, stop and kill daemons. */
const daemonLimits = { testTimeout: 3 * LIMIT_MS, hookTimeout: 3 * LIMIT_MS };

/** Daemons and commands that tests start inherit it. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

export default defineConfig({
  test: {
    // By itself it takes one core less than there are, which on two is half; most tests wait for something.
    maxWorkers: 3,
    reporters: ['default', SUMMARY],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...usual,
          include: ['test/unit/**/*.test.ts', 'test/engines/**/*.test.ts', 'test/conformance/**/*.test.ts', 'test/fuzz/**/*.test.ts'],
          exclude: [LONG],
          // Nothing that they import has a state: one process serves many files, and loads what they share once.
          isolate: false,
          ...limits,
        },
      },
      {
        ...engine,
        test: {
          name: 'flow',
          ...usual,
          include: ['test/flow/**/*.test.ts'],
          exclude: [LONG, ALONE],
          // As in unit.
          isolate: false,
          ...limits,
        },
      },
      {
        ...engine,
        test: {
          name: 'alone',
          ...usual,
          include: [ALONE],
          ...limits,
        },
      },
      {
        // A service at a given address has one budget, which may have to be waited for, and one set of documents: one file at a time.
        ...engine,
        test: {
          name: 'api',
          ...usual,
          include: ['test/api/**/*.test.ts'],
          // As in unit.
          isolate: false,
          ...(isServiceElsewhere ? { testTimeout: LONG_MS, hookTimeout: LONG_MS } : limits),
          fileParallelism: !isServiceElsewhere,
        },
      },
      {
        // Each file has daemons of its own, on ports and in folders of their own; after the other projects.
        test: {
          name: 'e2e',
          ...usual,
          include: ['test/e2e/**/*.test.ts'],
          exclude: [LONG],
          globalSetup: [...usual.globalSetup, COMPILED],
          // As in unit.
          isolate: false,
          ...daemonLimits,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Other people's clients against one daemon, the page in a browser, and attacks on a server, short unless by `npm run test:attack`: not part of `npm test`.
        test: {
          name: 'interop',
          setupFiles,
          include: ['test/interop/**/*.test.ts', 'test/attack/**/*.test.ts', 'test/browser/**/*.test.ts'],
          globalSetup: COMPILED,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // One beside the other people's clients, which are half of it and wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Real access points; by `npm run test:network` alone, which installs them.
        test: {
          name: 'network',
          setupFiles,
          include: ['test/network/**/*.test.ts'],
          globalSetup: COMPILED,
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        ...engine,
        test: {
          name: 'long',
          setupFiles,
          include: [LONG],
          globalSetup: [TEMPORARY_FILES, POSTGRES, COMPILED],
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
