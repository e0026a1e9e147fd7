// While nobody does anything days of the archive are closed and go, and what has ended leaves the ledgers: the process dies before each durable call of
// it, or the whole machine does, and the next start ends it all the same. Nothing goes that is owed, unread or waits, the chain of the archive is whole,
// and a file that is dropped again is a duplicate. DROPGATE_LIFE_POINTS is the number of calls that are tried of each stretch, for deaths and for power losses.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { manualClock } from '../support/clock.ts';
import { isOnPostgres } from '../support/engine.ts';
import { Disk, nothingKept } from '../support/faults/disk.ts';
import { type Call, marksIn, readJournal } from '../support/faults/journal.ts';
import { openFaults } from '../support/faults/shim.ts';
import { MEMORY } from '../support/memory.ts';
import { randomOf } from '../support/random.ts';
import { run } from '../support/sftp-clients.ts';
import { defectiveKeeping } from '../support/stand-in/defective.ts';
import { dropped, FIRST, openLedgers, type Picture, pictureOf, STRETCHES, type Stretch, settle, startLife } from './long-life.ts';
import { pointsOf } from './points.ts';
import { type RecordedLedgers, recordLedgers } from './recorded-ledgers.ts';
import { isDurable } from './recording.ts';

const POINTS = amountOf('DROPGATE_LIFE_POINTS');
const SEED = Number(process.env.DROPGATE_CRASH_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 3_600_000;
const PROGRAM = resolve(import.meta.dirname, 'recorded-life.ts');

describe(`At each durable call of a long life (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  const tried = { deaths: 0, losses: 0, otherwise: 0 };
  let stretches: Stretch[];
  let calls: Call[];
  let ledgers: RecordedLedgers | null;
  let disk: Disk;

  beforeAll(async () => {
    const parent = mkdtempSync(join(tmpdir(), 'dropgate-life-'));
    using faults = openFaults({ root: parent, journal: true });
    ledgers = isOnPostgres ? await recordLedgers() : null;
    try {
      const data = join(parent, 'data');
      mkdirSync(data);
      if (ledgers) {
        for (const made of await openLedgers({ data, server: ledgers.server })) await made.close();
        await ledgers.begin(faults);
      }
      const words = [PROGRAM, data, String(Date.now()), JSON.stringify(ledgers?.server ?? null)];
      const { status, out, err } = await run(process.execPath, words, '', faults.env);
      if (status !== 0) throw new Error(err);
      stretches = JSON.parse(out);
      calls = readJournal(faults.journal());
      disk = Disk.of(calls);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  }, TIMEOUT_MS);
  afterAll(async () => {
    await ledgers?.[Symbol.asyncDispose]();
    const { deaths, losses, otherwise } = tried;
    console.log(`long life: ${deaths} deaths, ${losses} power losses, ${otherwise} ended otherwise, seed ${SEED}`);
  });

  function stretchOf(name: string): Stretch {
    return stretches.find((each) => each.name === name) ?? expect.unreachable(`${name} was not lived`);
  }

  /** What was left before a call, by `onDisk` of the files. */
  async function leave(at: number, data: string, onDisk: (at: number, data: string) => void): Promise<void> {
    onDisk(at, data);
    await ledgers?.putBack(calls.slice(0, at), data);
  }

  /** Tries some calls of a stretch; what was otherwise in its end. */
  async function otherwise(name: string, put: (at: number, data: string) => void): Promise<string[]> {
    const [from = 0] = marksIn(calls, name);
    const [to = 0] = marksIn(calls, `${name}: done`);
    const points = calls.flatMap((call, at) => (at > from && at < to && isDurable(call) ? [at] : []));
    const stretch = stretchOf(name);
    const wrong: string[] = [];
    for (const at of pointsOf(calls, { points }, POINTS, random)) {
      const told = await lived(stretch, { put: (data) => leave(at, data, put), ledgers });
      if (told !== null) wrong.push(`before call ${at} (${calls[at]?.kind} ${calls[at]?.path}): ${told}`);
    }
    tried.otherwise += wrong.length;
    return wrong;
  }

  it('files go whose time is over, of all kinds', () => {
    const gone = stretches.flatMap(({ picture }) => picture.fetches ?? []).filter((line) => line.startsWith('expired '));
    expect(new Set(gone).size).toBeGreaterThan(6);
  });

  it.each(STRETCHES)('killed while %s', { timeout: TIMEOUT_MS }, async (name) => {
    const put = (at: number, data: string): void => {
      tried.deaths++;
      disk.afterDeath(at, '/data', data);
    };
    expect(await otherwise(name, put)).toEqual([]);
  });

  it.each(STRETCHES)('power lost while %s', { timeout: TIMEOUT_MS }, async (name) => {
    const put = (at: number, data: string): void => {
      tried.losses++;
      disk.afterPowerLoss(at, random(0, 1) === 0 ? nothingKept : () => (random(0, 1) === 0 ? 'kept' : 'lost'), '/data', data);
    };
    expect(await otherwise(name, put)).toEqual([]);
  });

  // The seeded defects: the gateway that goes on keeps the wrong things.
  it.each([
    {
      what: 'what was sent is not remembered when it is deleted',
      defect: { file: 'ledger/retention.ts', from: '    rememberSent(rows, over),\n', to: '' },
      name: STRETCHES[1],
    },
    {
      what: 'it is not noted which days of the archive were removed',
      defect: { file: 'archive/chain.ts', from: '  await writeEnds({ data, inHand }, accountRegNo, { ...ends, thinned });\n', to: '' },
      name: STRETCHES[2],
    },
  ])('the defect is found: $what', { timeout: TIMEOUT_MS }, async ({ defect, name }) => {
    const [at = 0] = marksIn(calls, name);
    const put = (data: string): Promise<void> => leave(at, data, (call, folder) => disk.afterDeath(call, '/data', folder));
    const startGateway = await defectiveKeeping(defect);
    expect(await lived(stretchOf(name), { put, ledgers }, { startGateway })).toEqual(expect.any(String));
    // Nothing else is wrong there.
    expect(await lived(stretchOf(name), { put, ledgers })).toBeNull();
  });
});

interface Left {
  readonly put: (data: string) => Promise<void>;
  readonly ledgers: RecordedLedgers | null;
}

/** Goes on from what was left, at the end of the stretch; says what differs from the life that was not disturbed. */
async function lived(
  { endMs, picture }: Stretch,
  { put, ledgers }: Left,
  others?: Parameters<typeof startLife>[1],
): Promise<string | null> {
  const folder = mkdtempSync(join(MEMORY, 'dropgate-life-'));
  const data = join(folder, 'data');
  try {
    await put(data);
    const place = { data, server: null, clock: manualClock(endMs) };
    await using life = await startLife(place, others);
    await settle(place.clock);
    const told = difference(picture, await pictureOf(place));
    // For what never comes it would wait long.
    if (told === null) await dropped(life, place.clock, 'again.xml', FIRST, 'duplicate');
    return told;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    ledgers?.forget(data);
    rmSync(folder, { recursive: true, force: true });
  }
}

function difference(expected: Picture, actual: Picture): string | null {
  const wrong = Object.entries(expected).flatMap(([what, lines]) => {
    const now = actual[what] ?? [];
    const [gone, more] = [lines.filter((line) => !now.includes(line)), now.filter((line) => !lines.includes(line))];
    return gone.length + more.length === 0 ? [] : [`${what} lacks ${JSON.stringify(gone)}, and has ${JSON.stringify(more)}`];
  });
  return wrong.length === 0 ? null : wrong.join('; ');
}
