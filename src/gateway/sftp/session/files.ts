// What one session can do with paths: the tree, joined with the inbox behind `intake.ts` and with the published files on disk.
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { AppError } from '#domain/error.ts';
import type { Login } from '#gateway/model/account.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type ByteName, type Intake, isTest } from '#gateway/model/intake.ts';
import { type FolderNames, namesOf, namingOf } from '#gateway/model/layout.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS } from '#gateway/model/order-answer.ts';
import type { Views } from '#gateway/model/view.ts';
import { parsePath } from '#gateway/sftp/protocol/paths.ts';
import type { Facts, Listed } from '#gateway/sftp/protocol/replies.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import type { FileFacts } from '#runtime/files/safe-folder.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { type IsReceivedOrder, listAnswers, makeReasonFolder, removeReasonFolder, statAnswer, statAnswers } from './answer-files.ts';
import type { CloseAnswers } from './close-answers.ts';
import { Listing } from './handles.ts';
import { type HomePath, listPublished, removePublished, statPublished } from './home-files.ts';
import type { PathNotes } from './path-notes.ts';
import type { Transfers } from './transfers.ts';
import { type AnswerPlace, findNode, type HomeView, type Node, type NodeOf, type Source } from './tree.ts';
import { listView, readsOnly, statView, type ViewBytes, type ViewParts } from './views.ts';

/** What all sessions of a server share. */
export interface SharedParts {
  readonly intake: Intake;
  readonly home: HomePath;
  readonly views: Views;
  readonly viewBytes: ViewBytes;
  /** Whether a complete download takes a document out of the outbox of this home. */
  readonly downloadTakes: (home: string) => boolean;
  readonly isReceivedOrder: IsReceivedOrder;
  /** Removals are durable before they are answered. */
  readonly folders: FolderSync;
  /** Asked before each removal and rename in a home. */
  readonly inHand: Pick<HomesInHand, 'check'>;
  readonly clock: Clock;
  /** The server is stopping: transfers go on, and no new ones begin. */
  readonly isStopping: () => boolean;
}

/** What one SFTP session works with. */
export interface SessionContext extends SharedParts {
  /** As it is now: homes come and go while a session is open. */
  readonly login: Login;
  /** Of the connection: its uploads stay visible to it while it lasts. */
  readonly id: string;
  readonly fileMaxBytes: number;
  /** Why the last uploads failed, by path: paramiko hears of it only when it asks for the file afterwards. */
  readonly failures: PathNotes<string>;
  /** The last markers: their clients may ask for them, too. */
  readonly markers: PathNotes<Facts>;
  readonly transfers: Transfers;
  readonly closeAnswers: CloseAnswers;
  readonly log: LogLines;
}

export function nodeAt(session: SessionContext, path: ByteName): Node {
  return findNode(session.login, parsePath(path));
}

/** The names of a home's folders in the login's layout, for sentences about them. */
export function namesAt({ login }: SessionContext): FolderNames {
  return namesOf(login.rules.layout);
}

export function viewParts(session: SessionContext): ViewParts {
  const { views, viewBytes, login } = session;
  return { views, viewBytes, login, names: namesAt(session), naming: namingOf(login.rules.layout) };
}

/** Whether the login has the home now: it may have lost it since something in it was opened. */
export function hasHome({ login }: SessionContext, home: string): boolean {
  return login.homes.some((each) => each.home === home);
}

/** Throws `forbidden`. */
export function mustHaveHome(session: SessionContext, home: string): void {
  if (!hasHome(session, home)) throw new AppError('forbidden', 'this folder is not yours any more; ask the administrator');
}

/** Throws `forbidden`: a home, or its view, may have been taken from the login meanwhile. */
export function mustHaveView(session: SessionContext, { home, view }: HomeView): void {
  mustHaveHome(session, home);
  if (!session.login.rules.answers?.includes(view))
    throw new AppError('forbidden', `you have no folder ${view} any more; ask the administrator`);
}

/** Throws `missing`. */
export async function statPath(session: SessionContext, path: ByteName): Promise<Facts> {
  const node = nodeAt(session, path);
  if (node.kind === 'dropped') return statDropped(session, node, path);
  if (node.kind === 'published-file') return fileFacts((await statPublished(session.home, node.at, [node.name]))[0]);
  if (node.kind === 'view-file') return fileFacts(await statView(viewParts(session), node));
  if (node.kind === 'answer-entry') return answerFacts(session, node);
  if (node.kind === 'nowhere') throw nothingThere();
  return folderFacts(session);
}

async function statDropped(session: SessionContext, { place, name }: NodeOf<'dropped'>, path: ByteName): Promise<Facts> {
  const entry = (await session.intake.find(place, name, session.id)) ?? session.markers.get(path);
  const failure = entry ? undefined : session.failures.get(path);
  if (failure) throw new AppError('missing', failure);
  return fileFacts(entry);
}

/** Throws `missing` where there is no folder. */
export async function listPath(session: SessionContext, path: ByteName): Promise<Listing> {
  const node = nodeAt(session, path);
  if (node.kind === 'fixed') return listingOf(folders(session, node.children));
  if (node.kind === 'inbox') return listingOfInbox(session, node);
  if (node.kind === 'published-folder') return listingOfPublished(session, node);
  if (node.kind === 'view') return new Listing(listView(viewParts(session), node.at, () => mustHaveView(session, node.at)));
  const place = await answerPlace(session, node);
  if (place) return listingOfAnswers(session, place);
  throw new AppError('missing', 'there is no such folder');
}

/** The place in which the files of a folder for answers are. */
async function answerPlace(session: SessionContext, node: Node): Promise<AnswerPlace | null> {
  if (node.kind === 'answer-folder') return node.at;
  if (node.kind !== 'answer-entry' || (await statAnswer(session.home, node))?.kind !== 'folder') return null;
  const { at, name } = node;
  return { ...at, components: [...at.components, name] };
}

async function listingOfAnswers(session: SessionContext, at: AnswerPlace): Promise<Listing> {
  return Listing.of(await listAnswers(session.home, at), (some) => {
    mustHaveHome(session, at.home);
    return statAnswers(session.home, at, some);
  });
}

async function answerFacts(session: SessionContext, node: NodeOf<'answer-entry'>): Promise<Facts> {
  const facts = await statAnswer(session.home, node);
  if (!facts) throw nothingThere();
  return facts;
}

async function listingOfPublished(session: SessionContext, { at, children, sources }: NodeOf<'published-folder'>): Promise<Listing> {
  const isFolderName = (name: ByteName): boolean => children.includes(name);
  const files = (await namesShown(session, sources)).filter((name) => !isFolderName(name));
  return Listing.of([...children, ...files], async (some) => {
    mustHaveHome(session, at.home);
    const [named, others] = [some.filter(isFolderName), some.filter((name) => !isFolderName(name))];
    return [...folders(session, named), ...(await factsShown(session, sources, others))];
  });
}

async function namesShown({ home }: SessionContext, sources: readonly Source[]): Promise<ByteName[]> {
  const names = await Promise.all(
    sources.map(async ({ at, shown }) => (await listPublished(home, at)).flatMap((name) => shown(name) ?? [])),
  );
  return names.flat();
}

/** A name is that of a file in the first folder that shows it. */
async function factsShown({ home }: SessionContext, sources: readonly Source[], names: readonly ByteName[]): Promise<Listed[]> {
  const left = new Set(names);
  const found = await Promise.all(
    sources.map(async ({ at, shown, onDisk }) => {
      const mine = [...left].flatMap((name) => {
        const there = onDisk(name);
        return there !== undefined && left.delete(name) ? [there] : [];
      });
      return (await statPublished(home, at, mine)).map((file) => ({ ...file, name: shown(file.name) ?? file.name }));
    }),
  );
  return found.flat().map((file): Listed => ({ ...file, name: shownName(file.name), kind: 'file' }));
}

/** Clients recognise an upload by the time that they set. Published files keep their times. */
export async function touchPath(session: SessionContext, path: ByteName, setMs: number): Promise<void> {
  const node = nodeAt(session, path);
  if (node.kind === 'dropped') await session.intake.touch(node.place, node.name, session.id, setMs);
}

/** Throws `missing`, `forbidden`. */
export async function removePath(session: SessionContext, path: ByteName): Promise<void> {
  const node = nodeAt(session, path);
  if (node.kind === 'dropped' && session.markers.forget(path)) return;
  if (node.kind === 'dropped') return removeDropped(session, node);
  if (node.kind === 'published-file') return removeFetched(session, node);
  if (node.kind === 'view-file') throw readsOnly(node.at);
  if (node.kind === 'answer-entry')
    throw new AppError(
      'forbidden',
      `an order that is to be answered cannot be removed; move it back to ${namesAt(session).outbox || 'the top'}`,
    );
  if (node.kind === 'nowhere') throw nothingThere();
  throw new AppError('forbidden', 'the folders of a home cannot be removed');
}

async function removeFetched(session: SessionContext, { at, name }: NodeOf<'published-file'>): Promise<void> {
  const [file] = await statPublished(session.home, at, [name]);
  await removePublished(session, at, name);
  session.transfers.fetched({ at, name, action: 'removed', bytes: file?.size ?? 0, sha256: null });
}

/** Removing never cancels a taken document: the file is hidden, or the removal is refused, as the login's rule says. */
async function removeDropped({ intake, login, id }: SessionContext, { place, name }: NodeOf<'dropped'>): Promise<void> {
  const isTaken = login.rules.removal === 'say' && !isTest(place) && (await intake.find(place, name, id))?.state === 'taken';
  if (isTaken) throw new AppError('forbidden', `'${nameText(name)}' was taken; ask the administrator to cancel it`);
  await intake.remove(place, name, id);
}

/** MKDIR makes folders for the reasons of answers alone: the others are always the same. Clients that make sure of a folder are told that it is there. */
export async function makeFolder(session: SessionContext, path: ByteName): Promise<void> {
  const node = nodeAt(session, path);
  if (node.kind === 'answer-entry') return makeReasonFolder(session, node);
  if (isFolder(node)) throw new AppError('exists', 'this folder is there already');
  const isAmongAnswers = session.login.rules.answers?.includes(ANSWER_FOLDER) && parsePath(path).includes(ANSWER_FOLDER);
  const hint = isAmongAnswers
    ? `those for reasons are made in ${ORDER_ANSWERS.join(', ')}`
    : `put files straight into ${namesAt(session).inbox}`;
  throw new AppError('forbidden', `folders cannot be made here; ${hint}`);
}

export async function removeFolder(session: SessionContext, path: ByteName): Promise<void> {
  const node = nodeAt(session, path);
  if (node.kind === 'answer-entry') return removeReasonFolder(session, node);
  if (isFolder(node)) throw new AppError('forbidden', 'the folders of a home cannot be removed');
  throw new AppError('missing', 'there is no such folder');
}

/** Space on the file system of the login's first home. Throws `missing` for a login without a home. */
export function spaceOf(session: SessionContext): Promise<StatsFs> {
  const first = session.login.homes[0];
  if (!first) throw nothingThere();
  return statfs(session.home(first.home));
}

/** Those that are always there. */
const FOLDERS: ReadonlySet<Node['kind']> = new Set(['fixed', 'inbox', 'published-folder', 'view', 'answer-folder']);

export function isFolder(node: Node): boolean {
  return FOLDERS.has(node.kind);
}

/** One for all: clients ask for a name before they upload to it, and an error takes longer to make than its answer. */
const NOTHING_THERE = new AppError('missing', 'there is no such file or folder');

export function nothingThere(): AppError {
  return NOTHING_THERE;
}

/** For what would have the name of a result in the inbox. */
export function resultsName({ name }: NodeOf<'published-file'>): AppError {
  return new AppError('forbidden', `'${nameText(name)}' is a name for the results of files; give the file one that does not end so`);
}

async function listingOfInbox(session: SessionContext, { place, children, sources }: NodeOf<'inbox'>): Promise<Listing> {
  const isTold = (name: ByteName): boolean => children.includes(name) || sources.some(({ onDisk }) => onDisk(name) !== undefined);
  const files = (await session.intake.view(place, session.id)).filter(({ name }) => !isTold(name));
  const dropped = files.map(({ name, size, mtimeMs }): Listed => ({ name, kind: 'file', size, mtimeMs }));
  const entries = [...folders(session, children), ...dropped];
  if (sources.length === 0) return listingOf(entries);
  const names = await namesShown(session, sources);
  return Listing.of(names, (some) => factsShown(session, sources, some), entries);
}

function listingOf(entries: readonly Listed[]): Listing {
  return new Listing(
    (async function* () {
      yield entries;
    })(),
  );
}

function folders(session: SessionContext, names: readonly ByteName[]): Listed[] {
  return names.map((name) => ({ name, ...folderFacts(session) }));
}

function folderFacts(session: SessionContext): Facts {
  return { kind: 'folder', size: 0, mtimeMs: session.clock.now() };
}

function fileFacts(found: FileFacts | null | undefined): Facts {
  if (!found) throw nothingThere();
  return { kind: 'file', size: found.size, mtimeMs: found.mtimeMs };
}
