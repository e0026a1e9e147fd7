// Whether the archive is as it was when its days were closed: each file that was changed, removed or added since is named.
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readEnds } from './chain.ts';
import { checkingKey, entryOf, type ReadManifest, readManifest } from './manifest.ts';
import { archiveFolder, daysOf, filesOf, isPlainFolder, MANIFEST, SIGNATURE } from './places.ts';

interface Difference {
  readonly accountRegNo: string;
  readonly day: string;
  /** The name below the day; null where it is the whole day. */
  readonly file: string | null;
  /** `no-chain`, `no-key`: of the last day that is closed; what says how far the chain goes, or the key, is not there, so that nobody can tell more. */
  readonly problem: 'changed' | 'removed' | 'added' | 'no-chain' | 'no-key';
}

interface Verified {
  readonly accountRegNo: string;
  /** Days that are closed, and how many files they have. */
  readonly days: number;
  readonly files: number;
  readonly differences: readonly Difference[];
}

/** Told with each day that is checked: the how manieth it is, of how many. */
type Checked = (day: number, days: number) => void;

/** Checks the closed days of an account; what is not closed yet is not protected. */
export async function verifyArchive(data: string, accountRegNo: string, checked: Checked = () => undefined): Promise<Verified> {
  const key = checkingKey(data);
  const { closed, thinned } = readEnds(data, accountRegNo);
  const differences: Difference[] = [];
  const tell = (day: string, file: string | null, problem: Difference['problem']): void => {
    differences.push({ accountRegNo, day, file, problem });
  };
  const withManifest = await daysWithManifest(data, accountRegNo);
  const isThinned = closed !== null && thinned !== null && closed.day <= thinned;
  const last = withManifest.at(-1) ?? (isThinned ? undefined : closed?.day);
  if (!key) {
    if (last !== undefined) tell(last, null, 'no-key');
    return { accountRegNo, days: 0, files: 0, differences };
  }
  const days = new Map<string, ReadManifest | null>();
  if (!closed) {
    if (last === undefined) return { accountRegNo, days: 0, files: 0, differences };
    tell(last, null, 'no-chain');
    const files = await compareAlone(data, accountRegNo, withManifest, key, tell, checked);
    return { accountRegNo, days: withManifest.length, files, differences };
  }
  for (const day of await daysOf(data, accountRegNo)) {
    const folder = join(archiveFolder(data, accountRegNo), day);
    if (day <= closed.day) days.set(day, (await isPlainFolder(folder)) ? await readManifest(folder, key) : null);
  }
  const total = days.size;
  // From the last one back: each names the one before it.
  let files = 0;
  let count = 0;
  for (let expected: typeof closed | null = closed; expected && (thinned === null || expected.day > thinned); ) {
    const { day, sha256 }: typeof closed = expected;
    const found = days.get(day);
    const isThere = days.delete(day);
    if (!found) {
      tell(day, isThere ? MANIFEST : null, 'removed');
      break;
    }
    if (found.link.sha256 !== sha256) tell(day, MANIFEST, 'changed');
    else if (!found.isSigned) tell(day, SIGNATURE, 'changed');
    files += await compareDay(join(archiveFolder(data, accountRegNo), day), found, (file, problem) => tell(day, file, problem));
    checked(++count, total);
    expected = found.manifest.before;
  }
  const isCut = differences.some(({ file, problem }) => file === null && problem === 'removed');
  // Behind a day that is missing nobody knows which others were there.
  for (const day of days.keys()) if (!isCut && (thinned === null || day > thinned)) tell(day, null, 'added');
  return { accountRegNo, days: count, files, differences };
}

/** Closed days, by their manifests alone. */
async function daysWithManifest(data: string, accountRegNo: string): Promise<string[]> {
  return (await daysOf(data, accountRegNo)).filter((day) => existsSync(join(archiveFolder(data, accountRegNo), day, MANIFEST)));
}

/** Each of these days for itself, where nobody knows the chain. */
async function compareAlone(
  data: string,
  accountRegNo: string,
  days: readonly string[],
  key: KeyObject,
  tell: (day: string, file: string | null, problem: Difference['problem']) => void,
  checked: Checked,
): Promise<number> {
  let files = 0;
  for (const [at, day] of days.entries()) {
    const folder = join(archiveFolder(data, accountRegNo), day);
    const found = (await isPlainFolder(folder)) ? await readManifest(folder, key) : null;
    if (!found || found.manifest.day !== day) tell(day, MANIFEST, 'changed');
    else if (!found.isSigned) tell(day, SIGNATURE, 'changed');
    if (found) files += await compareDay(folder, found, (file, problem) => tell(day, file, problem));
    checked(at + 1, days.length);
  }
  return files;
}

async function compareDay(
  folder: string,
  { manifest }: ReadManifest,
  tell: (file: string, problem: Difference['problem']) => void,
): Promise<number> {
  const there = new Set(await filesOf(folder));
  for (const { name, size, sha256 } of manifest.files) {
    if (!there.delete(name)) tell(name, 'removed');
    else {
      const now = await entryOf(folder, name);
      if (now.size !== size || now.sha256 !== sha256) tell(name, 'changed');
    }
  }
  for (const name of there) tell(name, 'added');
  return manifest.files.length;
}
