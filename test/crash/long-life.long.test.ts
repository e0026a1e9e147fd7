// While nobody does anything days of the archive are closed and go, and what has ended leaves the ledgers: the process dies before each durable call of
// it, or the whole machine does, and the next start ends it all the same. Nothing goes that is owed, unread or waits, the chain of the archive is whole,
// and a file that is dropped again is a duplicate. DROPGATE_LIFE_POINTS is the number of calls that are tried of each stretch, for deaths and for power losses.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { manualClock } from '../support/clock.ts';
import { isOn } from '../support/engine.ts';
import { Disk, nothingKept } from '../support/faults/disk.ts';
import { type Call, readJournal } from '../support/faults/journal.ts';
import { openFaults } from '../support/faults/shim.ts';
import { MEMORY } from '../support/memory.ts';
import { randomOf } from '../support/random.ts';
import { run } from '../support/sftp-clients.ts';
import { defectiveKeeping } from '../support/stand-in/defective.ts';
import { dropped, FIRST, type Picture, pictureOf, STRETCHES, type Stretch, settle, startLife } from './long-life.ts';
import { pointsOf } from './points.ts';
import { isDurable, marksIn } from './recording.ts';

const POINTS = amountOf('DROPGATE_LIFE_POINTS');
const SEED = Number(process.env.DROPGATE_CRASH_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 3_600_000;
const PROGRAM = resolve(import.meta.dirname, 'recorded-life.ts');

describe.runIf(isOn('SQLite', 'A long life, of which each durable call is seen'))(
  `At each durable call of a long life (seed ${SEED})`,
  () => {
    const random = randomOf(SEED);
    const tried = { deaths: 0, losses: 0, otherwise: 0 };
    let stretches: Stretch[];
    let calls: Call[];
    let disk: Disk;

    beforeAll(async () => {
      const parent = mkdtempSync(join(tmpdir(), 'dropgate-life-'));
      using faults = openFaults({ root: parent, journal: true });
      try {
        mkdirSync(join(parent, 'data'));
        const { status, out, err } = await run(process.execPath, [PROGRAM, join(parent, 'data'), String(Date.now())], '', faults.env);
        if (status !== 0) throw new Error(err);
        stretches = JSON.parse(out);
        calls = readJournal(faults.journal());
        disk = Disk.of(calls);
      } finally {
        rmSync(parent, { recursive: true, force: true });
      }
    }, TIMEOUT_MS);
    afterAll(() => {
      const { deaths, losses, otherwise } = tried;
      console.log(`long life: ${deaths} deaths, ${losses} power losses, ${otherwise} ended otherwise, seed ${SEED}`);
    });

    function stretchOf(name: string): Stretch {
      return stretches.find((each) => each.name === name) ?? expect.unreachable(`${name} was not lived`);
    }

    /** Tries some calls of a stretch; what was otherwise in its end. */
    async function otherwise(name: string, put: (at: number, data: string) => void): Promise<string[]> {
      const [from = 0] = marksIn(calls, name);
      const [to = 0] = marksIn(calls, `${name}: done`);
      const points = calls.flatMap((call, at) => (at > from && at < to && isDurable(call) ? [at] : []));
      const stretch = stretchOf(name);
      const wrong: string[] = [];
      for (const at of pointsOf(calls, { points }, POINTS, random)) {
        const told = await lived(stretch, (data) => put(at, data));
        if (told !== null) wrong.push(`before call ${at} (${calls[at]?.kind} ${calls[at]?.path}): ${told}`);
      }
      tried.otherwise += wrong.length;
      return wrong;
    }

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
        defect: { file: 'archive/chain.ts', from: '  await writeEnds(data, accountRegNo, { ...ends, thinned });\n', to: '' },
        name: STRETCHES[2],
      },
    ])('the defect is found: $what', { timeout: TIMEOUT_MS }, async ({ defect, name }) => {
      const [at = 0] = marksIn(calls, name);
      const put = (data: string): void => disk.afterDeath(at, '/data', data);
      const startGateway = await defectiveKeeping(defect);
      expect(await lived(stretchOf(name), put, { startGateway })).toEqual(expect.any(String));
      // Nothing else is wrong there.
      expect(await lived(stretchOf(name), put)).toBeNull();
    });
  },
);

/** Goes on from what was left, at the end of the stretch; says what differs from the life that was not disturbed. */
async function lived(
  { endMs, picture }: Stretch,
  put: (data: string) => void,
  others?: Parameters<typeof startLife>[2],
): Promise<string | null> {
  const folder = mkdtempSync(join(MEMORY, 'dropgate-life-'));
  try {
    const data = join(folder, 'data');
    put(data);
    const clock = manualClock(endMs);
    await using life = await startLife(data, clock, others);
    await settle(clock);
    const told = difference(picture, await pictureOf(data));
    // For what never comes it would wait long.
    if (told === null) await dropped(life, clock, 'again.xml', FIRST, 'duplicate');
    return told;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
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
