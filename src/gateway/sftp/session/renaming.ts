// RENAME: from a temporary to a real name in the inbox (the commit), within the outbox, and from refused back to the inbox (send again).
import { AppError, toAppError } from '#domain/error.ts';
import { type ByteName, isReal } from '#gateway/model/intake.ts';
import { toText } from '#gateway/sftp/protocol/paths.ts';
import { type FileOfHome, moveOrder } from './answer-files.ts';
import { isFolder, namesAt, nodeAt, nothingThere, resultsName, type SessionContext } from './files.ts';
import { renamePublished, statPublished } from './home-files.ts';
import type { Node, NodeOf, PublishedFolder } from './tree.ts';
import { readsOnly } from './views.ts';

/** Throws `missing`, `forbidden`, `name`, `storage`, and `exists` unless it may replace what has the new name. */
export async function renamePath(session: SessionContext, from: ByteName, to: ByteName, mayReplace: boolean): Promise<void> {
  const source = nodeAt(session, from);
  const target = nodeAt(session, to);
  if (target.kind === 'published-file' && target.isAmongDropped && source.kind !== 'nowhere') throw resultsName(target);
  if (source.kind === 'dropped' && target.kind === 'dropped' && target.isMarker) return renameToMarker(session, source, target, to);
  if (source.kind === 'dropped' && target.kind === 'dropped') return renameDropped(session, source, target, mayReplace);
  if (source.kind === 'published-file' && target.kind === 'published-file') return renamePublishedFile(session, source, target, mayReplace);
  if (source.kind === 'published-file' && target.kind === 'dropped') return sendAgain(session, source, target);
  if (source.kind === 'nowhere') throw nothingThere();
  if (target.kind === 'answer-folder' && !isFolder(source))
    throw new AppError('forbidden', 'this is a folder; name the file in it to which the order is moved');
  if (source.kind === 'answer-entry' || target.kind === 'answer-entry') return moveAnswered(session, source, target);
  if (source.kind === 'view-file') throw readsOnly(source.at);
  if (target.kind === 'view-file') throw readsOnly(target.at);
  if (isFolder(source)) throw new AppError('forbidden', 'the folders of a home cannot be renamed; rename the files in them');
  const { refused, inbox } = namesAt(session);
  throw new AppError('forbidden', `files can be renamed within their folder, and moved from ${refused} to ${inbox}`);
}

async function renameDropped(
  session: SessionContext,
  source: NodeOf<'dropped'>,
  target: NodeOf<'dropped'>,
  mayReplace: boolean,
): Promise<void> {
  if (source.place.home !== target.place.home) throw betweenAccounts();
  const isThere = ({ place, name }: NodeOf<'dropped'>) => session.intake.find(place, name, session.id);
  if (mayReplace && source.name !== target.name && (await isThere(source)) && (await isThere(target))) {
    await session.intake.remove(target.place, target.name, session.id);
  }
  const by = { login: session.login.login, session: session.id };
  const to = { ...target.place, name: target.name };
  await foundIfRefused(session, target, session.intake.rename({ ...source.place, name: source.name }, to, by));
}

/** What a verdict refuses is found as an upload that failed. */
async function foundIfRefused(session: SessionContext, { place, name }: NodeOf<'dropped'>, taken: Promise<unknown>): Promise<void> {
  try {
    await taken;
  } catch (error) {
    const { code, message: reason, facts } = toAppError(error);
    const size = typeof facts.size === 'number' ? facts.size : 0;
    if (code === 'invalid') session.transfers.failed({ home: place.home, name, size, reason });
    throw error;
  }
}

/** What only waits for the name of a marker is done with. Throws `missing`, and `forbidden` for what does not wait. */
async function renameToMarker(
  session: SessionContext,
  { place, name }: NodeOf<'dropped'>,
  target: NodeOf<'dropped'>,
  to: ByteName,
): Promise<void> {
  if (place.home !== target.place.home) throw betweenAccounts();
  const entry = await session.intake.find(place, name, session.id);
  if (!entry) throw nothingThere();
  if (entry.state !== 'waiting') throw new AppError('forbidden', 'only what was closed under a temporary name can become a marker');
  await session.intake.remove(place, name, session.id);
  session.markers.set(to, { kind: 'file', size: entry.size, mtimeMs: entry.mtimeMs });
}

async function renamePublishedFile(
  session: SessionContext,
  source: NodeOf<'published-file'>,
  target: NodeOf<'published-file'>,
  mayReplace: boolean,
): Promise<void> {
  const isSame = source.at.home === target.at.home && source.at.folder === target.at.folder;
  if (!isSame) {
    throw new AppError(
      'forbidden',
      `files cannot be moved between these folders; download the file and put it into ${namesAt(session).inbox}`,
    );
  }
  await renamePublished(session, source.at, source.name, target.name, mayReplace);
  session.transfers.fetched({ ...source, action: 'renamed', bytes: 0, sha256: null, newName: target.name });
}

/** Orders are moved out of the outbox, or out of accepted after a question; and back, while nothing has followed. */
async function moveAnswered(session: SessionContext, source: Node, target: Node): Promise<void> {
  const [from, to] = [orderAt(source), orderAt(target)];
  if (!from || !to) {
    const { outbox, accepted } = namesAt(session);
    throw new AppError('forbidden', `orders are moved here out of ${outbox || 'the top'} or ${accepted}, and back`);
  }
  if (from.home !== to.home) throw betweenAccounts();
  // Of what lies there some was dropped: by way of this folder it would get among what was received.
  const isAsked = source.kind === 'published-file' && source.at.folder === 'accepted';
  await moveOrder(session, from, to, isAsked ? session.isReceivedOrder : undefined);
  if (source.kind !== 'published-file') return;
  const newName = [...to.components, to.name].join('/');
  session.transfers.fetched({ ...source, action: 'renamed', bytes: 0, sha256: null, newName });
}

const ORDERS_LIE_IN: ReadonlySet<PublishedFolder['folder']> = new Set(['outbox', 'accepted']);

function orderAt(node: Node): FileOfHome | null {
  if (node.kind === 'answer-entry') return { ...node.at, name: node.name };
  if (node.kind !== 'published-file' || !ORDERS_LIE_IN.has(node.at.folder)) return null;
  return { home: node.at.home, components: [node.at.folder], name: node.name };
}

/** A refused original that is moved back to the inbox is sent again. */
async function sendAgain(session: SessionContext, { at, name }: NodeOf<'published-file'>, target: NodeOf<'dropped'>): Promise<void> {
  if (at.home !== target.place.home) throw betweenAccounts();
  const { refused, inbox } = namesAt(session);
  if (at.folder !== 'refused') throw new AppError('forbidden', `only files in ${refused} can be moved to ${inbox}, to be sent again`);
  if (!(await statPublished(session.home, at, [name]))[0]) throw nothingThere();
  const text = toText(name);
  if (text === null) throw new AppError('name', 'the name is not UTF-8; download the file and drop it again');
  const { place, name: newName } = target;
  if (!isReal({ ...place, name: newName })) {
    throw new AppError('name', `this is a name for what is not finished; move the file to ${inbox} under its real name`);
  }
  const request = { ...place, name: newName, login: session.login.login, session: session.id, kept: text };
  await foundIfRefused(session, target, session.intake.resend(request));
}

function betweenAccounts(): AppError {
  return new AppError('forbidden', 'files cannot be moved between accounts; download the file and put it into the inbox of the other');
}
