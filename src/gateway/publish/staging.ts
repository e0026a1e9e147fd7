// Files on their way into a home: written durably where they can be renamed from, with names that rows keep below the data folder.
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { base32, type Random } from '#domain/id.ts';
import { type Living, livingOf } from '#gateway/disk/incarnation.ts';
import { discard, homeFolder, STAGING, stagingFolder } from '#gateway/disk/paths.ts';
import { copyFile } from '#gateway/disk/whole-home.ts';
import { type Homes, type HomesInHand, isAmong } from '#gateway/model/homes.ts';
import { ensureFolder, type FileBytes, type FolderSync, writeDurable } from '#runtime/files/durable.ts';
import { holdFolder, ifThere, isNotThere } from '#runtime/files/held-folder.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { FilePool } from './file-pool.ts';

export interface Staging {
  /** Writes a new file durably, name and bytes, from where it can be renamed into the home; resolves with its path below the data folder. */
  write(home: string, bytes: FileBytes): Promise<string>;
  /** A rename into the home has failed because it lies on another file system. */
  apart(home: string): void;
  /** Removes files that were prepared and not used. */
  clear(): Promise<void>;
}

interface StagingParts {
  readonly data: string;
  /** In whose folder they are written. */
  readonly incarnation: string;
  readonly folders: FolderSync;
  readonly random: Random;
}

/** One folder for all homes, which share its fsyncs, but for those on another file system. */
export function openStaging({ data, incarnation, folders, random }: StagingParts): Staging {
  const common = ensureFolder(stagingFolder(data, incarnation));
  const dev = deviceOf(common);
  const pool = new FilePool(common, { folders, random });
  const known = new Map<string, 'common' | 'apart'>();
  const look = (home: string): 'common' | 'apart' => ((deviceOf(homeFolder(data, home)) ?? dev) === dev ? 'common' : 'apart');
  return {
    async write(home, bytes) {
      const place = known.get(home) ?? look(home);
      known.set(home, place);
      if (place === 'common') return relative(data, await pool.write(bytes));
      const root = homeFolder(data, home);
      const name = `${incarnation}~${base32(random(15))}`;
      const synced = { sync: () => folders.sync(root, [STAGING]) };
      await inFolder(root, [STAGING], (at) => writeDurable(String(at.path(name)), bytes, { folders: synced }));
      return relative(data, join(root, STAGING, name));
    },
    // A folder of the same disk that is mounted by itself: only a rename shows it.
    apart: (home) => void known.set(home, 'apart'),
    clear: () => pool.clear(),
  };
}

function deviceOf(folder: string): number | undefined {
  return ifThere(folder, [], ({ stats }) => stats.dev);
}

/** Where a staged file lies while it is held: below a folder of ours, or in its home's. */
interface HeldFile extends Disposable {
  readonly path: string | Buffer;
}

/** `homes/HOME/.staged/INCARNATION~NAME`; any other is in a folder of ours, which other programs cannot swap. */
const IN_HOME = /^homes\/([^/]+)\/\.staged\/([^/]+)$/;

/** Its name in the folder of a home: one by which the incarnation is known there as well. */
function nameInHome(staged: string): string {
  return IN_HOME.test(staged) ? basename(staged) : `${basename(dirname(staged))}~${basename(staged)}`;
}

const COPY = '.copy';

/** Where it is copied to in a home on another file system. */
export function copyInHome(staged: string): string {
  return nameInHome(staged) + COPY;
}

/** Throws `missing` where the folder of its home is not there: then nothing is known of the file. */
export function holdStaged(data: string, staged: string): HeldFile {
  const [, home, name] = IN_HOME.exec(staged) ?? [];
  if (home === undefined || name === undefined) return { path: join(data, staged), [Symbol.dispose]: () => undefined };
  const folder = holdFolder(homeFolder(data, home), [STAGING]);
  return { path: folder.path(name), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Copies it to a new file. Throws `missing` where it is not there, as when it has got into its home, and `name` where it is no file. */
export function copyStaged(data: string, staged: string, to: string): Promise<void> {
  const [, home] = IN_HOME.exec(staged) ?? [];
  const copy = (folder: SafeFolder): Promise<void> => copyFile(folder, basename(staged), to);
  return home === undefined ? inFolder(join(data, dirname(staged)), [], copy) : inFolder(homeFolder(data, home), [STAGING], copy);
}

/** Whether its home is known to be a mount, and is none now: then what was staged there is out of sight, and not gone. */
export function isMissingMount(data: string, staged: string): boolean {
  if (!IN_HOME.test(staged)) return false;
  using folder = holdStaged(data, staged);
  try {
    // Of a file that is not there: the system looks at the mounts first, also at those of one disk.
    renameSync(folder.path, join(data, 'staged', basename(staged)));
  } catch (error) {
    return systemCode(error) !== 'EXDEV';
  }
  return false;
}

export interface StagedParts extends Pick<StagingParts, 'data'> {
  readonly inHand: Pick<HomesInHand, 'check'>;
}

/** Where the folder of its home is not there, the next start sweeps. */
export function discardStaged({ data, inHand }: StagedParts, staged: string): void {
  inHand.check();
  try {
    using file = holdStaged(data, staged);
    discard(file.path);
  } catch (error) {
    if (!isNotThere(error)) throw error;
  }
}

interface Found {
  /** As rows name it. */
  readonly staged: string;
  readonly incarnation: string;
}

/**
 * Removes the staged files of incarnations that have ended, but for those that are owed; also from these homes, those of accounts that are not served
 * now as well.
 */
export async function sweepStaged(parts: Living & StagedParts, homes: Homes, readOwed: () => Promise<readonly string[]>): Promise<void> {
  const { data } = parts;
  const found = [...inOurFolders(data), ...inHomes(data, homes)];
  const living = await livingOf(parts);
  const owed = new Set((await readOwed()).flatMap((staged) => [nameInHome(staged), copyInHome(staged)]));
  for (const { staged, incarnation } of found) {
    if (!living.has(incarnation) && !owed.has(nameInHome(staged))) discardStaged(parts, staged);
  }
}

function inOurFolders(data: string): Found[] {
  const folder = ensureFolder(data, 'staged');
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    // Versions before had one folder for all.
    if (!entry.isDirectory()) return [{ staged: `staged/${entry.name}`, incarnation: '' }];
    return readdirSync(join(folder, entry.name)).map((name) => ({ staged: `staged/${entry.name}/${name}`, incarnation: entry.name }));
  });
}

function inHomes(data: string, homes: Homes): Found[] {
  const names = 'only' in homes ? homes.only : readdirSync(ensureFolder(data, 'homes'));
  return names
    .filter((home) => isAmong(home, homes))
    .flatMap((home) => {
      const files = ifThere(homeFolder(data, home), [STAGING], (folder) => folder.list()) ?? [];
      return files.map((name) => ({ staged: `homes/${home}/${STAGING}/${name}`, incarnation: name.split('~')[0] ?? '' }));
    });
}
