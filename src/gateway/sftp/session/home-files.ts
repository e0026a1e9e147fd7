// The folders of real files (outbox, receipts, accepted, refused): what a login may do with the files in them.
import { AppError } from '#domain/error.ts';
import { nameShownAs } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import { type FileFacts, inFolder, type OpenFile, type SafeFolder } from '#runtime/files/safe-folder.ts';
import type { Shelf } from './tree.ts';

/** What is taken from them may be marked by a new name; the others show what became of a drop, under the name that its receipt tells. */
const MAY_RENAME: ReadonlySet<Shelf['folder']> = new Set(['outbox', 'receipts']);

/** The path of an account's home on disk. */
export type HomePath = (home: string) => string;

/** Where shelves stand, and whose changes are made durable together. */
export interface Room {
  readonly home: HomePath;
  readonly folders: FolderSync;
}

export function listShelf(home: HomePath, shelf: Shelf): Promise<ByteName[]> {
  return inFolder(home(shelf.home), [shelf.folder], async (folder) => (await folder.list()).filter(isShown).sort());
}

/** The facts of those of `names` that are (still) files, in their order. */
export function statShelf(home: HomePath, shelf: Shelf, names: readonly ByteName[]): Promise<(FileFacts & { readonly name: ByteName })[]> {
  return inFolder(home(shelf.home), [shelf.folder], async (folder) => {
    const found = await Promise.all(
      names.filter(isShown).map(async (name) => {
        const facts = await folder.stat(await nameIn(folder, name));
        return facts ? [{ ...facts, name }] : [];
      }),
    );
    return found.flat();
  });
}

export function openKept(home: HomePath, shelf: Shelf, name: ByteName): Promise<OpenFile> {
  mustBeShown(name);
  return inFolder(home(shelf.home), [shelf.folder], async (folder) => folder.open(await nameIn(folder, name)));
}

/** Deleting is how an ERP says that it has a document: after a power loss it must not be there again. */
export async function removeKept(room: Room, shelf: Shelf, name: ByteName): Promise<void> {
  mustBeShown(name);
  await inFolder(room.home(shelf.home), [shelf.folder], async (folder) => folder.remove(await nameIn(folder, name)));
  await makeDurable(room, shelf);
}

/** Renames within the folder. Throws `exists` unless it may replace. */
export async function renameKept(room: Room, shelf: Shelf, from: ByteName, to: ByteName, mayReplace: boolean): Promise<void> {
  mustBeShown(from);
  if (!MAY_RENAME.has(shelf.folder))
    throw new AppError('forbidden', `files in ${shelf.folder} keep their names; download the file under the name that you want`);
  if (!isShown(to)) throw new AppError('forbidden', 'a name here must not begin with a dot; choose another');
  await inFolder(room.home(shelf.home), [shelf.folder], async (folder) => {
    if (!mayReplace && (await folder.stat(to)))
      throw new AppError('exists', 'a file of the new name is there already; remove it first, or choose another name');
    await folder.rename(await nameIn(folder, from), to);
  });
  await makeDurable(room, shelf);
}

function makeDurable({ home, folders }: Room, shelf: Shelf): Promise<void> {
  return folders.sync(home(shelf.home), [shelf.folder]);
}

/** A name that is not UTF-8 is asked for as it is shown, or as it is. */
async function nameIn(folder: SafeFolder, name: ByteName): Promise<ByteName> {
  const shown = nameShownAs(name);
  return shown === undefined || (await folder.stat(name)) ? name : shown;
}

/** Names that begin with a dot are the server's own business. */
function isShown(name: ByteName): boolean {
  return !name.startsWith('.');
}

function mustBeShown(name: ByteName): void {
  if (!isShown(name)) throw new AppError('missing', 'there is no such file');
}
