// A scenario, run once against the real daemon with each of its durable calls written down; and run again from the disk that a crash
// would have left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import type { Disk } from '../support/faults/disk.ts';
import { type Call, readJournal } from '../support/faults/journal.ts';
import { openFaults } from '../support/faults/shim.ts';
import { startSurvivor } from '../support/faults/survivor.ts';
import type { World } from '../support/faults/world.ts';
import { difference, type Outcome, outcomeOf, settle } from './outcome.ts';
import type { Scenario } from './scenarios.ts';

export interface Recording {
  readonly scenario: Scenario;
  readonly calls: readonly Call[];
  /** Numbers of the calls that change the disk, from the moment at which the daemon was ready. */
  readonly points: readonly number[];
  /** Where the data folder lies on the recorded disk. */
  readonly path: string;
  readonly undisturbed: Outcome;
  readonly apiKey: World['apiKey'];
  /** What the buyer had taken when so many steps had ended. */
  readonly taken: readonly World['taken'][];
}

const DURABLE: ReadonlySet<string> = new Set(['create', 'cut', 'write', 'truncate', 'sync', 'rename', 'link', 'unlink', 'mkdir']);
const DONE = 'done';
const READY = 'ready';

export async function record(scenario: Scenario): Promise<Recording> {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-recorded-'));
  using faults = openFaults({ root: parent, journal: true });
  try {
    await using daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      parent,
      env: faults.env,
      config: { core: { requests: 1_000_000 } },
    });
    const { data, port, coreUrl, apiKey } = daemon;
    const world: World = { data, port, coreUrl, apiKey, taken: new Map() };
    faults.mark(READY);
    const taken = [new Map(world.taken)];
    for (const { act } of scenario.steps) {
      await act(world, faults.env);
      faults.mark(DONE);
      taken.push(new Map(world.taken));
    }
    await settle(world);
    const undisturbed = await outcomeOf(world);
    await daemon.stop();
    const calls = readJournal(faults.journal());
    const ready = calls.findIndex(({ kind, path }) => kind === 'mark' && path === READY);
    const points = calls.flatMap(({ kind }, at) => (at > ready && DURABLE.has(kind) ? [at] : []));
    return { scenario, calls, points, path: `/${basename(daemon.folder)}/data`, undisturbed, apiKey, taken };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** How many steps had ended before a call. */
function stepsBefore({ calls }: Recording, at: number): number {
  return calls.slice(0, at).filter(({ kind, path }) => kind === 'mark' && path === DONE).length;
}

/** What is on the disk after a crash: `put` lays it into a folder. */
export type Left = (disk: Disk, path: string, folder: string) => void;

/** Starts on what was left, goes on with the steps that had not ended, and says what differs in the end from the undisturbed run. */
export async function survive(recording: Recording, at: number, put: (folder: string) => void): Promise<string | null> {
  const { scenario, undisturbed, apiKey, taken } = recording;
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-survivor-'));
  try {
    const data = join(folder, 'data');
    put(data);
    const done = stepsBefore(recording, at);
    await using survivor = await startSurvivor(data, apiKey, new Map(taken[done]));
    for (const { act } of scenario.steps.slice(done)) await act(survivor, {});
    await settle(survivor);
    return difference(undisturbed, await outcomeOf(survivor), scenario.steps[done]?.file ?? null);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
