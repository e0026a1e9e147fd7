// The published files of a home (outbox, receipts, accepted, refused): what a login may do with them.
import { AppError } from '#domain/error.ts';
import { nameShownAs } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import { type FileFacts, inFolder, type OpenFile, type SafeFolder } from '#runtime/files/safe-folder.ts';
import type { PublishedFolder } from './tree.ts';

/** An ERP may rename what it has fetched; files in accepted and refused keep the names that their receipts tell. */
const MAY_RENAME: ReadonlySet<PublishedFolder['folder']> = new Set(['outbox', 'receipts']);

/** The path of an account's home on disk. */
export type HomePath = (home: string) => string;

/** The homes on disk, and what makes changes in their folders durable. */
export interface HomesOnDisk {
  readonly home: HomePath;
  readonly folders: FolderSync;
  /** Asked before each removal and rename: the process may have been stopped, and have lost its homes. */
  readonly inHand: Pick<HomesInHand, 'check'>;
}

export function listPublished(home: HomePath, at: PublishedFolder): Promise<ByteName[]> {
  return inFolder(home(at.home), [at.folder], async (folder) => (await folder.list()).filter(isShown).sort());
}

/** The facts of those of `names` that are (still) files, in their order. */
export function statPublished(
  home: HomePath,
  at: PublishedFolder,
  names: readonly ByteName[],
): Promise<(FileFacts & { readonly name: ByteName })[]> {
  return inFolder(home(at.home), [at.folder], async (folder) => {
    const found = await Promise.all(
      names.filter(isShown).map(async (name) => {
        const facts = await folder.stat(await nameIn(folder, name));
        return facts ? [{ ...facts, name }] : [];
      }),
    );
    return found.flat();
  });
}

export function openPublished(home: HomePath, at: PublishedFolder, name: ByteName): Promise<OpenFile> {
  mustBeShown(name);
  return inFolder(home(at.home), [at.folder], async (folder) => folder.open(await nameIn(folder, name)));
}

/** By removing a document an ERP says that it has it: it must not come back after a power loss. */
export async function removePublished(homes: HomesOnDisk, at: PublishedFolder, name: ByteName): Promise<void> {
  mustBeShown(name);
  await inFolder(homes.home(at.home), [at.folder], async (folder) => {
    const there = await nameIn(folder, name);
    await folder.remove(there, homes.inHand.check);
  });
  await makeDurable(homes, at);
}

/** Renames within the folder. Throws `exists` unless it may replace. */
export async function renamePublished(
  homes: HomesOnDisk,
  at: PublishedFolder,
  from: ByteName,
  to: ByteName,
  mayReplace: boolean,
): Promise<void> {
  mustBeShown(from);
  if (!MAY_RENAME.has(at.folder))
    throw new AppError('forbidden', `files in ${at.folder} keep their names; download the file under the name that you want`);
  if (!isShown(to)) throw new AppError('forbidden', 'a name here must not begin with a dot; choose another');
  await inFolder(homes.home(at.home), [at.folder], async (folder) => {
    if (!mayReplace && (await folder.stat(to)))
      throw new AppError('exists', 'a file of the new name is there already; remove it first, or choose another name');
    const there = await nameIn(folder, from);
    await folder.rename(there, to, homes.inHand.check);
  });
  await makeDurable(homes, at);
}

function makeDurable({ home, folders }: HomesOnDisk, at: PublishedFolder): Promise<void> {
  return folders.sync(home(at.home), [at.folder]);
}

/** A name that is not UTF-8 is asked for as it is shown, or as it is. */
async function nameIn(folder: SafeFolder, name: ByteName): Promise<ByteName> {
  const shown = nameShownAs(name);
  return shown === undefined || (await folder.stat(name)) ? name : shown;
}

/** Names that begin with a dot are the server's own files. */
export function isShown(name: ByteName): boolean {
  return !name.startsWith('.');
}

function mustBeShown(name: ByteName): void {
  if (!isShown(name)) throw new AppError('missing', 'there is no such file');
}
