// The gateway and its core die before each durable call of the scenarios, or the whole machine does, and start again from what was left:
// each time everything ends as if nothing had happened. DROPGATE_CRASH_POINTS is the number of calls that are tried of each scenario, for
// deaths and for power losses, and of ends of its steps for power losses (2; in the whole `all`); DROPGATE_NODE_LOSSES the same for power losses of the
// machine of a node, whose homes another takes over on the shared file system (1); DROPGATE_CRASH_SEED repeats a draw.
//
// The scenarios run once in the real daemon, with every call written down. A death before call N leaves a disk on which the calls before
// it were made, and nothing else; a power loss leaves what was synced, and of the rest what luck keeps. These disks are built from the
// journal and started. Requests to the core, or their answers, are lost by a proxy. That a real death leaves the very disk that the journal tells is shown, too.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { isOn, isOnPostgres } from '../support/engine.ts';
import { Disk, type Luck, nothingKept, onlyNamesKept } from '../support/faults/disk.ts';
import { readJournal } from '../support/faults/journal.ts';
import { openLossyProxy } from '../support/faults/proxy.ts';
import { openFaults } from '../support/faults/shim.ts';
import { worldOf } from '../support/faults/world.ts';
import { randomOf } from '../support/random.ts';
import { until } from '../support/until.ts';
import { pointsOf, spreadOf } from './points.ts';
import { type Circumstances, type Played, type Recording, record, survive } from './recording.ts';
import { SCENARIOS } from './scenarios.ts';

const POINTS = amountOf('DROPGATE_CRASH_POINTS');
const NODE_LOSSES = amountOf('DROPGATE_NODE_LOSSES');
const SEED = Number(process.env.DROPGATE_CRASH_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 3_600_000;
/** What does not come any more need not be waited for as long as what does. */
const PATIENCE_WITH_DEFECTS_MS = 2_500;
/** Sectors are written whole; a write may have reached the disk up to any of them. */
const SECTOR_BYTES = 512;

const LEDGER_SYNCS = isOn('SQLite', 'Removed fsyncs of ledgers')
  ? [
      { what: "of the gateway's ledger", forgets: (path: string) => path.includes('/gateway.db') },
      { what: "of the core's ledger", forgets: (path: string) => path.includes('/core.db') },
    ]
  : [];

const ALL_SYNCS = [
  { what: 'of an uploaded file', forgets: (path: string) => path.includes('/spool/receiving/') },
  { what: 'of a folder in the spool', forgets: (path: string, isFolder: boolean) => isFolder && path.includes('/spool/') },
  ...LEDGER_SYNCS,
  { what: 'of a folder in a home', forgets: (path: string, isFolder: boolean) => isFolder && path.includes('/homes/') },
];
const REMOVED_SYNCS = [
  ...ALL_SYNCS.map((each) => ({ ...each, by: '', isTakenOver: false })),
  ...(isOnPostgres ? ALL_SYNCS.map((each) => ({ ...each, by: ' by the node that takes over', isTakenOver: true })) : []),
];

describe(`At each durable call (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  const tried = { deaths: 0, losses: 0, nodeLosses: 0, requests: 0, otherwise: 0 };
  let recording: Recording;
  let disk: Disk;

  beforeAll(async () => {
    recording = await record(SCENARIOS);
    disk = Disk.of(recording.calls);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await recording.ledgers?.[Symbol.asyncDispose]();
    const { deaths, losses, nodeLosses, requests, otherwise } = tried;
    const calls = recording.played.reduce((sum, { points }) => sum + points.length, 0);
    const ofNodes = isOnPostgres ? ` and ${nodeLosses} of the machine of a node` : '';
    console.log(
      `crash points: ${SCENARIOS.length} scenarios of ${calls} durable calls, ${deaths} deaths, ${losses} power losses${ofNodes}, ${requests} lost requests and answers, ${otherwise} ended otherwise, seed ${SEED}`,
    );
  });

  const playedOf = (scenario: Played['scenario']): Played => {
    const found = recording.played.find((each) => each.scenario === scenario);
    if (!found) throw new Error(`${scenario.name} was not recorded`);
    return found;
  };
  async function otherwise(
    played: Played,
    points: readonly number[],
    put: (at: number, data: string) => void,
    circumstances?: Circumstances,
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const at of points) {
      const told = await survive(recording, played, at, (data) => put(at, data), circumstances);
      if (told !== null) wrong.push(`before call ${at} (${recording.calls[at]?.kind} ${recording.calls[at]?.path}): ${told}`);
    }
    tried.otherwise += wrong.length;
    return wrong;
  }

  it.each(SCENARIOS)('killed: $name', { timeout: TIMEOUT_MS }, async (scenario) => {
    const played = playedOf(scenario);
    const points = pointsOf(recording.calls, played, POINTS, random);
    tried.deaths += points.length;
    expect(await otherwise(played, points, (at, data) => disk.afterDeath(at, recording.path, data))).toEqual([]);
  });

  it.runIf(isOnPostgres).each(SCENARIOS)('killed as a node, and another takes over: $name', { timeout: TIMEOUT_MS }, async (scenario) => {
    const played = playedOf(scenario);
    const points = pointsOf(recording.calls, played, POINTS, random);
    tried.deaths += points.length;
    const put = (at: number, data: string): void => disk.afterDeath(at, recording.path, data);
    expect(await otherwise(played, points, put, { isTakenOver: true })).toEqual([]);
  });

  it.each(SCENARIOS)('power lost: $name', { timeout: TIMEOUT_MS }, async (scenario) => {
    const played = playedOf(scenario);
    const points = lossesOf(played, POINTS);
    tried.losses += points.length;
    const lost = (at: number, data: string): void => {
      disk.afterPowerLoss(at, random(0, 1) === 0 ? nothingKept : someKept(), recording.path, data);
    };
    expect(await otherwise(played, points, lost)).toEqual([]);
  });

  it.runIf(isOnPostgres).each(SCENARIOS)(
    'power lost on the machine of a node, and another takes over: $name',
    { timeout: TIMEOUT_MS },
    async (scenario) => {
      const played = playedOf(scenario);
      const points = lossesOf(played, NODE_LOSSES);
      tried.nodeLosses += points.length;
      const lost = (at: number, data: string): void => {
        const lucks = [nothingKept, onlyNamesKept, someKept()];
        disk.afterPowerLoss(at, lucks[random(0, lucks.length - 1)] ?? nothingKept, recording.path, data);
      };
      expect(await otherwise(played, points, lost, { isTakenOver: true })).toEqual([]);
    },
  );

  it.each(SCENARIOS)('a request or its answer lost: $name', { timeout: TIMEOUT_MS }, async (scenario) => {
    const played = playedOf(scenario);
    const [first = 0] = played.points;
    const losing = async (loses: Parameters<typeof openLossyProxy>[0]): Promise<{ requests: number; told: string | null }> => {
      await using proxy = openLossyProxy(loses);
      const put = (data: string): void => disk.afterDeath(first, recording.path, data);
      const told = await survive(recording, played, first, put, { through: proxy.before });
      return { requests: proxy.requests, told };
    };
    const { requests, told } = await losing(null);
    expect(told).toBeNull();
    const all = Array.from({ length: requests }, (_, at) => at + 1);
    const wrong: string[] = [];
    for (const number of POINTS < requests ? all.filter(() => random(1, requests) <= POINTS) : all) {
      for (const what of ['request', 'answer'] as const) {
        const { told: other } = await losing({ number, what });
        tried.requests++;
        if (other !== null) wrong.push(`${what} ${number} of ${requests}: ${other}`);
      }
    }
    tried.otherwise += wrong.length;
    expect(wrong).toEqual([]);
  });

  it('a request that is lost behind a false answer is found', { timeout: TIMEOUT_MS }, async () => {
    const [played] = recording.played;
    const at = played?.points[0] ?? 0;
    await using proxy = openLossyProxy('creates');
    const put = (data: string): void => disk.afterDeath(at, recording.path, data);
    const circumstances = { patienceMs: PATIENCE_WITH_DEFECTS_MS, through: proxy.before };
    expect(played && (await survive(recording, played, at, put, circumstances))).toEqual(expect.any(String));
  });

  /** Before durable calls, and where steps have just ended: somebody knows of all that came before. */
  function lossesOf(played: Played, max: number): number[] {
    return [...pointsOf(recording.calls, played, max, random), ...spreadOf(played.ended, max, random).map((mark) => mark + 1)];
  }

  /** Any part of what was not synced, in any order. */
  function someKept(): Luck {
    const keptOfTen = random(1, 9);
    return ({ size }) => {
      if (random(1, 10) > keptOfTen) return 'lost';
      return size > SECTOR_BYTES && random(1, 4) === 1 ? random(0, Math.floor(size / SECTOR_BYTES)) * SECTOR_BYTES : 'kept';
    };
  }

  // The seeded defects: a sync that does nothing.
  it.each(REMOVED_SYNCS)('a removed fsync $what is found$by', { timeout: TIMEOUT_MS }, async ({ forgets, isTakenOver }) => {
    const defective = Disk.of(recording.calls, forgets);
    for (const played of recording.played) {
      for (const at of played.ended.map((mark) => mark + 1)) {
        const put = (from: Disk) => (data: string) => from.afterPowerLoss(at, nothingKept, recording.path, data);
        const survived = (from: Disk, patience?: Circumstances): Promise<string | null> =>
          survive(recording, played, at, put(from), { ...patience, isTakenOver });
        if ((await survived(defective, { patienceMs: PATIENCE_WITH_DEFECTS_MS })) === null) continue;
        // Nothing else is wrong there.
        expect(await survived(disk)).toBeNull();
        return;
      }
    }
    expect.unreachable('nothing went wrong');
  });

  it('a real death leaves the disk that the journal tells', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-died-'));
    using faults = openFaults({ root: parent, journal: true });
    try {
      await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, parent, env: faults.env });
      const { data, pid } = daemon;
      faults.set([{ action: 'die-before', from: random(1, 200) }]);
      await SCENARIOS[0]?.steps[0]?.act(worldOf(daemon, 0), {}).catch(() => undefined);
      await until('the daemon to die', () => isDead(pid));
      const calls = readJournal(faults.journal());
      const rebuilt = join(parent, 'rebuilt');
      Disk.of(calls).afterDeath(calls.length, `/${basename(daemon.folder)}/data`, rebuilt);
      expect(contentOf(rebuilt)).toEqual(contentOf(data));
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });
});

/** Node has asked for it already, or will: until then a dead child is a zombie. */
function isDead(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}

/** All files by path, but for SQLite's shared memory. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('-shm'),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path).toString('base64')]));
}
