// Where the tests of `npm test` keep their files: in memory, where there is some to spare. On a disk they would mostly wait for it; what is left of
// it when a process dies or the power goes, the suites of test/crash show.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemCode } from '#runtime/files/system-code.ts';
import { MEMORY } from './memory.ts';

const MOUNTS = '/proc/mounts';
/** Where programs may be run: tests write some. */
const RUNS_PROGRAMS = new RegExp(`^\\S+ ${MEMORY} tmpfs (?!\\S*noexec)`, 'm');
const PREFIX = 'tests-of-dropgate-';
/** Containers often have a few megabytes; of less than `alarms.diskFree` commands warn. */
const ROOM_MIN_BYTES = 4 * 2 ** 30;

/** A folder of this run; where TMPDIR is given, there. */
export const TEMPORARY = join(hasRoom() ? MEMORY : tmpdir(), `${PREFIX}${process.pid}`);

/** Once before all files, and after them. What killed daemons have left goes with the folder, and what killed runs have left, at the next run. */
export function setup(): (() => void) | undefined {
  const place = dirname(TEMPORARY);
  for (const name of readdirSync(place)) if (name.startsWith(PREFIX) && hasEnded(name)) remove(join(place, name));
  // Another project of this run has been here, and removes it last.
  if (mkdirSync(TEMPORARY, { recursive: true }) === undefined) return undefined;
  return () => remove(TEMPORARY);
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Whether the run has ended whose folder this is. */
function hasEnded(name: string): boolean {
  try {
    process.kill(Number(name.slice(PREFIX.length)), 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

function hasRoom(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(MOUNTS) || !RUNS_PROGRAMS.test(readFileSync(MOUNTS, 'utf8'))) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_MIN_BYTES;
}
