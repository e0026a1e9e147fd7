// What one session can do with paths: the tree, joined with the inbox behind `intake.ts` and with the folders on disk.
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { AppError } from '#domain/error.ts';
import type { Login } from '#gateway/model/account.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import type { ByteName, Intake, Place } from '#gateway/model/intake.ts';
import { type FolderNames, namesOf } from '#gateway/model/layout.ts';
import { parsePath } from '#gateway/sftp/protocol/paths.ts';
import type { Facts, Listed } from '#gateway/sftp/protocol/replies.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import type { FileFacts } from '#runtime/files/safe-folder.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { Failures } from './failures.ts';
import { Listing } from './handles.ts';
import { type HomePath, listShelf, removeKept, statShelf } from './home-files.ts';
import { findNode, INBOX_FOLDERS, type Node, type NodeOf } from './tree.ts';

/** What one session works with. */
export interface Desk {
  /** As it is now: homes come and go while a session is open. */
  readonly login: Login;
  /** The connection: what it uploaded stays visible to it while it lives. */
  readonly session: string;
  readonly intake: Intake;
  readonly home: HomePath;
  /** Whether a complete download takes a document out of the outbox of this home. */
  readonly downloadTakes: (home: string) => boolean;
  /** What is answered is durable, a removal too. */
  readonly folders: FolderSync;
  readonly fileMaxBytes: number;
  /** Why the last uploads failed, by path: paramiko hears of it only when it asks for the file afterwards. */
  readonly failures: Failures;
  readonly clock: Clock;
  readonly log: LogLines;
  /** The server is stopping: what is under way may end, nothing new begins. */
  readonly isStopping: () => boolean;
}

export function nodeAt(desk: Desk, path: ByteName): Node {
  return findNode(desk.login, parsePath(path));
}

/** What the folders of a home are called here, for sentences about them. */
export function namesAt({ login }: Desk): FolderNames {
  return namesOf(login.rules.layout);
}

/** Whether the login has the home now: it may have lost it since something in it was opened. */
export function hasHome({ login }: Desk, home: string): boolean {
  return login.homes.some((each) => each.home === home);
}

/** Throws `forbidden`. */
export function mustHaveHome(desk: Desk, home: string): void {
  if (!hasHome(desk, home)) throw new AppError('forbidden', 'this folder is not yours any more; ask the administrator');
}

/** Throws `missing`. */
export async function statPath(desk: Desk, path: ByteName): Promise<Facts> {
  const node = nodeAt(desk, path);
  if (node.kind === 'dropped') return statDropped(desk, node, path);
  if (node.kind === 'kept') return fileFacts((await statShelf(desk.home, node.shelf, [node.name]))[0]);
  if (node.kind === 'nowhere') throw nothingThere();
  return folderFacts(desk);
}

async function statDropped(desk: Desk, { place, name }: NodeOf<'dropped'>, path: ByteName): Promise<Facts> {
  const entry = await desk.intake.find(place, name, desk.session);
  const failure = entry ? undefined : desk.failures.get(path);
  if (failure) throw new AppError('missing', failure);
  return fileFacts(entry);
}

/** Throws `missing` where there is no folder. */
export async function listPath(desk: Desk, path: ByteName): Promise<Listing> {
  const node = nodeAt(desk, path);
  if (node.kind === 'fixed') return listingOf(folders(desk, node.children));
  if (node.kind === 'inbox') return listingOf(await inboxEntries(desk, node.place));
  if (node.kind === 'shelf') {
    return listingOfShelf(desk, node);
  }
  throw new AppError('missing', 'there is no such folder');
}

async function listingOfShelf(desk: Desk, { shelf, children }: NodeOf<'shelf'>): Promise<Listing> {
  const isFolderName = (name: ByteName): boolean => children.includes(name);
  const files = (await listShelf(desk.home, shelf)).filter((name) => !isFolderName(name));
  return new Listing([...children, ...files], async (some) => {
    mustHaveHome(desk, shelf.home);
    const found = await statShelf(
      desk.home,
      shelf,
      some.filter((name) => !isFolderName(name)),
    );
    return [
      ...folders(desk, some.filter(isFolderName)),
      ...found.map((file): Listed => ({ ...file, name: shownName(file.name), kind: 'file' })),
    ];
  });
}

/** Clients know what they sent by the time that they gave it. Files of ours keep theirs. */
export async function touchPath(desk: Desk, path: ByteName, setMs: number): Promise<void> {
  const node = nodeAt(desk, path);
  if (node.kind === 'dropped') await desk.intake.touch(node.place, node.name, desk.session, setMs);
}

/** Throws `missing`, `forbidden`. */
export async function removePath(desk: Desk, path: ByteName): Promise<void> {
  const node = nodeAt(desk, path);
  if (node.kind === 'dropped') return removeDropped(desk, node);
  if (node.kind === 'kept') return removeKept(desk, node.shelf, node.name);
  if (node.kind === 'nowhere') throw nothingThere();
  throw new AppError('forbidden', 'the folders of a home cannot be removed');
}

/** Removing never cancels what was taken: it is only out of sight, or the login is told so. */
async function removeDropped({ intake, login, session }: Desk, { place, name }: NodeOf<'dropped'>): Promise<void> {
  const isTaken = login.rules.removal === 'say' && (await intake.find(place, name, session))?.state === 'taken';
  if (isTaken) throw new AppError('forbidden', `'${nameText(name)}' was taken; ask the administrator to cancel it`);
  await intake.remove(place, name, session);
}

/** MKDIR makes nothing: the folders are always the same. Clients that make sure of a folder are told that it is there. */
export function refuseNewFolder(desk: Desk, path: ByteName): never {
  if (isFolder(nodeAt(desk, path))) throw new AppError('exists', 'this folder is there already');
  throw new AppError('forbidden', `folders cannot be made here; put files straight into ${namesAt(desk).inbox}`);
}

export function refuseFolderRemoval(desk: Desk, path: ByteName): never {
  if (isFolder(nodeAt(desk, path))) throw new AppError('forbidden', 'the folders of a home cannot be removed');
  throw new AppError('missing', 'there is no such folder');
}

/** Space on the file system of the login's first home. Throws `missing` for a login without a home. */
export function spaceOf(desk: Desk): Promise<StatsFs> {
  const first = desk.login.homes[0];
  if (!first) throw nothingThere();
  return statfs(desk.home(first.home));
}

export function isFolder(node: Node): boolean {
  return node.kind === 'fixed' || node.kind === 'inbox' || node.kind === 'shelf';
}

/** One for all: clients ask for a name before they upload to it, and an error takes longer to make than its answer. */
const NOTHING_THERE = new AppError('missing', 'there is no such file or folder');

export function nothingThere(): AppError {
  return NOTHING_THERE;
}

async function inboxEntries(desk: Desk, place: Place): Promise<Listed[]> {
  const files = await desk.intake.view(place, desk.session);
  const listed = files.map(({ name, size, mtimeMs }): Listed => ({ name, kind: 'file', size, mtimeMs }));
  return place.folder === 'inbox' ? [...folders(desk, INBOX_FOLDERS), ...listed] : listed;
}

function listingOf(entries: readonly Listed[]): Listing {
  const left = [...entries];
  return new Listing(
    entries.map((entry) => entry.name),
    async (names) => left.splice(0, names.length),
  );
}

function folders(desk: Desk, names: readonly ByteName[]): Listed[] {
  return names.map((name) => ({ name, ...folderFacts(desk) }));
}

function folderFacts(desk: Desk): Facts {
  return { kind: 'folder', size: 0, mtimeMs: desk.clock.now() };
}

function fileFacts(found: FileFacts | null | undefined): Facts {
  if (!found) throw nothingThere();
  return { kind: 'file', size: found.size, mtimeMs: found.mtimeMs };
}
