// The poll model: random arrivals, overwrites, withdrawals, deaths at 3 % of all steps, 8 % of answers lost, documents that are listed late,
// lost ledgers, over the real sweep. Nothing is lost, nothing is published twice; five defects are found by the same seeds.
// DROPGATE_POLL_SEEDS is how many lives there are (100; the whole has 10,000), DROPGATE_POLL_FIRST the seed to begin with.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import * as real from '#gateway/receive/sweep.ts';
import { amountOf } from '../../../support/amounts.ts';
import { MEMORY } from '../../../support/memory.ts';
import { type Defect, importWithDefect } from '../../../support/mutant.ts';
import { liveThrough, type ModelOptions, type Outcome } from '../../../support/poll-model.ts';
import { forgetReceived } from '../../../support/world/ledger-rows.ts';

const SEEDS = amountOf('DROPGATE_POLL_SEEDS');
const FIRST = Number(process.env.DROPGATE_POLL_FIRST ?? 1);
/** A defect is looked for in so many lives, and most are found in the first hundred. */
const DEFECT_SEEDS = 1_000;
const AT_ONCE = 16;

let folder: string;
let ledger: Ledger;
beforeAll(async () => {
  folder = mkdtempSync(join(MEMORY, 'dropgate-model-'));
  ledger = await openGatewayLedger(folder);
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Found {
  readonly seeds: number;
  readonly documents: number;
  readonly crashes: number;
  readonly sweeps: number;
  readonly failures: readonly string[];
}

/** Every life is one of its own in the ledger, by the name of its account. */
async function run(
  sweepFeed: typeof real.sweepFeed,
  kind: ModelOptions['kind'],
  seeds: number,
  until: (failures: number) => boolean,
): Promise<Found> {
  const outcomes: Outcome[] = [];
  const failures: string[] = [];
  const left = Array.from({ length: seeds }, (_, index) => FIRST + index).values();
  const lane = async (): Promise<void> => {
    for (const seed of left) {
      if (until(failures.length)) return;
      const outcome = await liveThrough(seed, { sweepFeed, ledger, kind });
      outcomes.push(outcome);
      const wrong = [...outcome.lost.map((each) => `lost ${each}`), ...outcome.twice.map((each) => `twice ${each}`)];
      failures.push(...wrong.map((each) => `seed ${seed}: ${each}`));
      await forgetReceived(ledger, `model-${seed}-`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const sum = (of: (each: Outcome) => number): number => outcomes.reduce((total, each) => total + of(each), 0);
  return {
    seeds: outcomes.length,
    documents: sum(({ documents }) => documents),
    crashes: sum(({ crashes }) => crashes),
    sweeps: sum(({ sweeps }) => sweeps),
    failures,
  };
}

it.each([
  ['documents that are listed as they come', 'usual'],
  ['documents that are listed late', 'late'],
  ['documents that come while others are compared', 'compared'],
] as const)('%s: none is lost, none published twice', { timeout: 600_000 + SEEDS * 1_000 }, async (name, kind) => {
  const { seeds, documents, crashes, sweeps, failures } = await run(real.sweepFeed, kind, SEEDS, () => false);
  const lost = failures.filter((each) => each.includes('lost')).length;
  console.log(
    `poll model: ${name}, seeds ${FIRST} to ${FIRST + seeds - 1}, ${documents} documents, ${sweeps} sweeps, ${crashes} crashes, ${lost} lost, ${failures.length - lost} twice`,
  );
  expect(failures).toEqual([]);
  expect(crashes).toBeGreaterThan(seeds);
});

const MODULES = [
  'receive/sweep.ts',
  'receive/sweep-list.ts',
  'receive/initial-sync.ts',
  'receive/reading.ts',
  'receive/read-marks.ts',
  'receive/quarantine.ts',
  'receive/redeliver.ts',
  'receive/ingest.ts',
];

const DEFECTS: Readonly<Record<string, readonly Defect[]>> = {
  'stop at the first known document': [
    { file: 'receive/reading.ts', from: 'Math.max(1, Math.min(KNOWN_MAX, limit - 2))', to: '1' },
    { file: 'receive/reading.ts', from: 'return sequence <= complete && movedIn < round;', to: 'return true;' },
  ],
  'what was listed anew counts as the end of what is new': [
    { file: 'receive/reading.ts', from: ' && movedIn < round', to: '' },
    { file: 'receive/reading.ts', from: ' movedIn }', to: ' }' },
    { file: 'receive/reading.ts', from: ', round }: SweepState', to: ' }: SweepState' },
  ],
  'mark before disk': [
    {
      file: 'receive/ingest.ts',
      from: 'const { bytes } = held;',
      to: 'const { bytes } = held;\n  await parts.feeds.mark(feed, integrationId);',
    },
  ],
  'an unfinished sweep counts as complete, and clears what is dirty': [
    { file: 'receive/sweep-list.ts', from: 'const wrong = rest ?? stopped;', to: 'const wrong = null;' },
  ],
  'the read endpoint only': [
    {
      file: 'receive/sweep.ts',
      from: 'await sweepOn(parts, feed, state, extent)',
      to: 'await drain(parts, feed, state.pageLimit).then(() => state)',
    },
    {
      file: 'receive/sweep.ts',
      from: "import { type MarkParts, type Marks, markPublished, NO_MARKS } from './read-marks.ts';",
      to: "import { drain, type MarkParts, type Marks, markPublished, NO_MARKS } from './read-marks.ts';",
    },
  ],
};

describe('the same seeds find the defect', () => {
  it.each(Object.entries(DEFECTS))('%s', async (name, defects) => {
    const defective = await importWithDefect(MODULES, defects);
    if (!isSweep(defective)) throw new Error('the copy has no sweepFeed');
    const { seeds, failures } = await run(defective.sweepFeed, 'usual', DEFECT_SEEDS, (found) => found > 0);
    console.log(`poll model, a defect: ${name}, found after ${seeds} seeds (${failures[0]})`);
    expect(failures.length).toBeGreaterThan(0);
  });
});

function isSweep(loaded: unknown): loaded is typeof real {
  return typeof loaded === 'object' && loaded !== null && 'sweepFeed' in loaded;
}
