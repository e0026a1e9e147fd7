// One staged file gets its final name in a home. Both ends are held by descriptor, so that no link that a program puts there leads it elsewhere.
import { closeSync, fchmodSync, openSync, readFileSync, renameSync } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { isThere } from '#gateway/disk/carry.ts';
import { discard, homeFolder, STAGING } from '#gateway/disk/paths.ts';
import type { Publication } from '#gateway/ledger/publications.ts';
import { toByteName } from '#gateway/model/intake.ts';
import { READ_PLAIN, writeDurable } from '#runtime/files/durable.ts';
import { type HeldFolder, holdFolder } from '#runtime/files/held-folder.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { copyInHome, discardStaged, holdStaged, isMissingMount, type StagedParts } from './staging.ts';

type Owed = Pick<Publication, 'home' | 'folder' | 'name' | 'staged'>;

/**
 * Renames it; where it lies on another file system than the home, copies it durably first, which repeats harmlessly after a crash. `gone`: it was
 * renamed before. Throws `name` where a link stands in place of a folder, `missing` where a folder or its file system is not there, and what
 * the system says: then it is where it was.
 */
export async function moveIn(parts: StagedParts, owed: Owed): Promise<'renamed' | 'copied' | 'gone'> {
  parts.inHand.check();
  try {
    return rename(parts.data, owed);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
  }
  await copy(parts, owed);
  discardStaged(parts, owed.staged);
  return 'copied';
}

function rename(data: string, { home, folder, name, staged }: Owed): 'renamed' | 'gone' {
  using target = holdFolder(homeFolder(data, home), [folder]);
  using from = holdStaged(data, staged);
  try {
    letRead(target, from.path);
    renameSync(from.path, target.path(toByteName(name)));
    return 'renamed';
  } catch (error) {
    // Whatever the system says of the rename, that there is no such file any more means that it was published, now or before; an ERP may have taken it already.
    if (isThere(from.path)) throw error;
    if (isMissingMount(data, staged)) throw new AppError('missing', 'the file system of this home is not mounted', { cause: error });
    return 'gone';
  }
}

async function copy({ data, inHand }: StagedParts, { home, folder, name, staged }: Owed): Promise<void> {
  const root = homeFolder(data, home);
  const beside = copyInHome(staged);
  await inFolder(root, [STAGING], async (staging) => {
    inHand.check();
    discard(staging.path(beside));
    await writeDurable(String(staging.path(beside)), readStaged(data, staged));
  });
  inHand.check();
  using target = holdFolder(root, [folder]);
  using staging = holdFolder(root, [STAGING]);
  const from = staging.path(beside);
  letRead(target, from);
  try {
    renameSync(from, target.path(toByteName(name)));
  } catch (error) {
    if (isThere(from)) throw error;
  }
}

function readStaged(data: string, staged: string): Buffer {
  using from = holdStaged(data, staged);
  return readFileSync(from.path, { flag: READ_PLAIN });
}

/** Not ours to change: what a program has dropped belongs to it, and it can read that. */
const NOT_OURS: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES']);

/** Files are staged for us alone, and a rename keeps that: where a folder lets others write, by ACL or group, they may read what comes into it. */
function letRead(folder: HeldFolder, path: string | Buffer): void {
  if ((folder.stats.mode & 0o022) === 0) return;
  try {
    const file = openSync(path, READ_PLAIN);
    try {
      fchmodSync(file, 0o644);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!NOT_OURS.has(systemCode(error))) throw error;
  }
}
