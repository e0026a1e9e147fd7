// Where the tests of `npm test` keep their files: in memory, where there is some to spare. On a disk they would mostly wait for it; what is left of
// it when a process dies or the power goes, the suites of test/crash show.
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
export const MEMORY = '/dev/shm';
const MOUNTS = '/proc/mounts';
/** Where programs may be run: tests write some. */
const RUNS_PROGRAMS = new RegExp(`^\\S+ ${MEMORY} tmpfs (?!\\S*noexec)`, 'm');
/** Containers often have a few megabytes. */
const ROOM_MIN_BYTES = 2 * 2 ** 30;

/** A folder of this run; where TMPDIR is given, there. */
export const TEMPORARY = join(hasRoom() ? MEMORY : tmpdir(), `dropgate-tests-${process.pid}`);

/** Once before all files, and after them: what killed daemons have left goes as well. */
export function setup(): () => void {
  mkdirSync(TEMPORARY, { recursive: true });
  return () => rmSync(TEMPORARY, { recursive: true, force: true });
}

function hasRoom(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(MOUNTS) || !RUNS_PROGRAMS.test(readFileSync(MOUNTS, 'utf8'))) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_MIN_BYTES;
}
