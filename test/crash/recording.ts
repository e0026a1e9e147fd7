// Scenarios, run once against the real daemon with each of its durable calls written down; and run again from the disk that a crash
// would have left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startDaemon } from '../support/daemon.ts';
import { isOnPostgres } from '../support/engine.ts';
import { type Call, marksIn, readJournal } from '../support/faults/journal.ts';
import { openFaults, slowNames } from '../support/faults/shim.ts';
import { startSurvivor } from '../support/faults/survivor.ts';
import { type World, worldOf } from '../support/faults/world.ts';
import { MEMORY } from '../support/memory.ts';
import { difference, type Outcome, outcomeOf, withoutDelays } from './outcome.ts';
import { PEOPLE } from './people.ts';
import { COMMITTED, type RecordedLedgers, recordLedgers } from './recorded-ledgers.ts';
import type { Scenario } from './steps.ts';

export interface Recording {
  readonly calls: readonly Call[];
  /** Where the data folder lies on the recorded disk. */
  readonly path: string;
  readonly apiKey: World['apiKey'];
  /** Where they are no files of the disk. */
  readonly ledgers: RecordedLedgers | null;
  readonly played: readonly Played[];
}

/** One scenario's part of a recording. */
export interface Played {
  readonly scenario: Scenario;
  /** Numbers of the calls that changed the disk, and of commits that are none. */
  readonly points: readonly number[];
  /** The call before which each step had ended. */
  readonly ended: readonly number[];
  /** What the buyer had taken in the end, and the call that removed each from its outbox. */
  readonly taken: readonly { readonly name: string; readonly bytes: Buffer; readonly at: number }[];
  readonly undisturbed: Outcome;
}

/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 60_000;
/** For so long orders wait in the real daemon; the clock of the others hurries. */
const ANSWER_AFTER = '1s';
/** Longer than an event loop takes to begin an fsync. */
const NEW_FILE_MS = 10;
const DURABLE: ReadonlySet<string> = new Set(['create', 'cut', 'write', 'truncate', 'sync', 'rename', 'link', 'unlink', 'mkdir']);

/** The ledgers of it are kept until they are disposed of. */
export async function record(scenarios: readonly Scenario[]): Promise<Recording> {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-recorded-'));
  // What may happen in any order is written down in the one that is least kind: a folder's fsync first, then the new file in it.
  using faults = openFaults({ root: parent, journal: true, rules: [slowNames(NEW_FILE_MS)] });
  const ledgers = isOnPostgres ? await recordLedgers() : null;
  try {
    const env = { ...faults.env, ...ledgers?.connected.env };
    await using daemon = await startDaemon({
      ...PEOPLE,
      parent,
      env,
      config: { gateway: { answerAfter: ANSWER_AFTER }, ...ledgers?.connected.config },
    });
    await ledgers?.begin(faults);
    const { apiKey } = daemon;
    const world: World = { ...worldOf(daemon, PATIENCE_MS), ...ledgers?.connected.config };
    const runs: { scenario: Scenario; undisturbed: Outcome }[] = [];
    for (const scenario of scenarios) {
      faults.mark('begins');
      for (const { act } of scenario.steps) {
        await act(world, env);
        faults.mark('step');
      }
      runs.push({ scenario, undisturbed: await outcomeOf(world) });
    }
    faults.mark('begins');
    await daemon.stop();
    const calls = readJournal(faults.journal());
    const taken = [...world.taken].map(([name, bytes]) => ({
      name,
      bytes,
      at: calls.findIndex(({ kind, path }) => kind === 'unlink' && path.endsWith(`/outbox/${name}`)),
    }));
    const begins = marksIn(calls, 'begins');
    const played = runs.map((run, at): Played => {
      const [from = 0, to = 0] = begins.slice(at, at + 2);
      const ended = marksIn(calls, 'step').filter((mark) => mark > from && mark < to);
      const points = calls.flatMap((call, number) => (number > from && number < to && isDurable(call) ? [number] : []));
      return { ...run, points, ended, taken };
    });
    return { calls, path: `/${basename(daemon.folder)}/data`, apiKey, ledgers, played };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

export function isDurable({ kind, path }: Call): boolean {
  return DURABLE.has(kind) || (kind === 'mark' && path === COMMITTED);
}

export interface Circumstances {
  readonly patienceMs?: number;
  /** What stands between gateway and core: it is given the core's address, and gives its own. */
  readonly through?: (coreUrl: string) => Promise<string>;
  /** The one that died was a node, and another one takes its homes over. */
  readonly isTakenOver?: boolean;
}

/** Starts on what was left before a call, goes on with the steps that had not ended, and says what differs in the end from the undisturbed run. */
export async function survive(
  { calls, apiKey, ledgers }: Recording,
  played: Played,
  at: number,
  put: (data: string) => void,
  { patienceMs = PATIENCE_MS, through, isTakenOver = false }: Circumstances = {},
): Promise<string | null> {
  const { scenario, undisturbed, taken, ended } = played;
  // What the crash has left is on this disk, and all that comes after it must only be right: waiting for a real one would be most of the time.
  const folder = mkdtempSync(join(MEMORY, 'dropgate-survivor-'));
  try {
    const data = join(folder, 'data');
    put(data);
    await using database = isTakenOver ? await ledgers?.putBackOfNode(calls.slice(0, at), data) : undefined;
    if (!database) await ledgers?.putBack(calls.slice(0, at), data);
    const done = ended.filter((mark) => mark < at).length;
    const known = taken.filter((each) => each.at < at);
    await using survivor = await startSurvivor(
      data,
      apiKey,
      {
        taken: new Map(known.map(({ name, bytes }) => [name, bytes])),
        patienceMs,
        ...(database && { server: database.place, node: 'two' }),
      },
      through,
    );
    for (const { act } of scenario.steps.slice(done)) await act(survivor, {});
    const outcome = await outcomeOf(survivor);
    const actual = through && scenario.mayBeDelayed ? withoutDelays(outcome) : outcome;
    return difference(undisturbed, actual, scenario.steps[done]?.file ?? null);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (!isTakenOver) ledgers?.forget(join(folder, 'data'));
    rmSync(folder, { recursive: true, force: true });
  }
}
