// OPEN: which files may be opened for what, and what the flags of version 3 mean for an inbox.
import { AppError, toAppError } from '#domain/error.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { inFolder, type OpenFile } from '#runtime/files/safe-folder.ts';
import { nullIf } from '#runtime/files/system-code.ts';
import { openAnswer } from './answer-files.ts';
import {
  hasHome,
  isFolder,
  mustHaveHome,
  mustHaveView,
  namesAt,
  nodeAt,
  nothingThere,
  resultsName,
  type SessionContext,
  viewParts,
} from './files.ts';
import { Download, type Fetching } from './handles.ts';
import { openPublished, removePublished } from './home-files.ts';
import { resumeKey } from './transfers.ts';
import type { Node, NodeOf } from './tree.ts';
import { Upload } from './upload.ts';
import { openView, readsOnly, type ViewDownload } from './views.ts';

/** Throws `missing`, `exists`, `forbidden`, and what opening throws. */
export function openPath(session: SessionContext, path: ByteName, flags: number): Promise<Upload | Download | ViewDownload> {
  return flags & (OPEN_FLAG.write | OPEN_FLAG.append) ? openForWriting(session, path, flags) : openForReading(session, path);
}

async function openForReading(session: SessionContext, path: ByteName): Promise<Download | ViewDownload> {
  const node = nodeAt(session, path);
  if (node.kind === 'published-file') {
    const { home } = node.at;
    const file = await openPublished(session.home, node.at, node.name);
    return new Download(file, () => mustHaveHome(session, home), fetchingOf(session, node, file));
  }
  if (node.kind === 'answer-entry') {
    const { home } = node.at;
    return new Download(await openAnswer(session.home, node), () => mustHaveHome(session, home));
  }
  if (node.kind === 'dropped') return readBack(session, node);
  const written = node.kind === 'view-file' ? await openView(viewParts(session), node, () => mustHaveView(session, node.at)) : null;
  if (written) return written;
  throw isFolder(node) ? new AppError('forbidden', 'this is a folder; name a file in it') : nothingThere();
}

function fetchingOf(session: SessionContext, node: NodeOf<'published-file'>, file: OpenFile): Fetching {
  const { transfers, login } = session;
  const { at, name } = node;
  const key = resumeKey(login.login, at, name, file);
  const taken = takenBy(session, node);
  return {
    readBefore: transfers.partlyRead.get(key)?.upTo ?? 0,
    async whole(sha256, isFromStart) {
      transfers.fetched({ at, name, action: 'downloaded', bytes: file.size, sha256 });
      // What was sent in an earlier session may not have come: for the client's sake it stays.
      if (isFromStart) await taken?.();
    },
    partly(upTo) {
      if (upTo > 0) transfers.partlyRead.put(key, { upTo });
    },
  };
}

/** A complete download may be all that an ERP does with a document. A login that may only read takes nothing away by it. */
function takenBy(session: SessionContext, { at, name }: NodeOf<'published-file'>): (() => Promise<void>) | null {
  if (at.folder !== 'outbox' || session.login.rules.readOnly || !session.downloadTakes(at.home)) return null;
  return async () => {
    if (!hasHome(session, at.home)) return;
    try {
      await removePublished(session, at, name);
      session.log.info({ event: 'outbox.taken', home: at.home, file: name });
    } catch (error) {
      // The client has it all the same; at worst it finds it there once more.
      session.log.warn({ event: 'outbox.not-taken', home: at.home, file: name, err: error });
    }
  };
}

/** What was dropped can be read for as long as it is seen, unless what became of it was removed. */
async function readBack(session: SessionContext, { place, name }: NodeOf<'dropped'>): Promise<Download> {
  if (!(await session.intake.find(place, name, session.id))) throw nothingThere();
  for (const { root, components, name: kept } of await session.intake.where(place, name, session.id)) {
    const file = await inFolder(root, components, (folder) => folder.open(kept)).catch(nullIf('missing'));
    if (file) return new Download(file, () => mustHaveHome(session, place.home));
  }
  throw new AppError('forbidden', 'this file has been taken over; its receipt tells what became of it');
}

/** Throws `forbidden` for a login that may only read. */
export function mustWrite({ login }: SessionContext): void {
  if (login.rules.readOnly) {
    throw new AppError('forbidden', 'this login may only read; ask the administrator for one that may write');
  }
}

async function openForWriting(session: SessionContext, path: ByteName, flags: number): Promise<Upload> {
  const node = nodeAt(session, path);
  mayPut(session, node);
  if (session.isStopping()) throw new AppError('internal', 'the server is stopping; try again in a minute');
  const { place, name } = node;
  const failed = (reason: string, size: number): void => session.transfers.failed({ home: place.home, name, size, reason });
  const named = (error: AppError, size: number): AppError =>
    new AppError(error.code, error.message, { cause: error.cause, facts: { home: place.home, file: nameText(name), size } });
  const [creates, truncates, excludes] = [OPEN_FLAG.create, OPEN_FLAG.truncate, OPEN_FLAG.exclusive].map((flag) => (flags & flag) !== 0);
  // The usual upload creates and truncates: what had the name before does not matter then.
  const seen = creates && truncates && !excludes ? null : await session.intake.find(place, name, session.id);
  if (!creates && !seen) throw nothingThere();
  if (excludes && seen) throw new AppError('exists', 'a file of this name is there already; overwrite it, or take another name');
  session.failures.forget(path);
  session.markers.forget(path);
  const isOurs = !truncates && (seen?.state === 'taken' || seen?.state === 'found');
  return Upload.begin(
    { ...place, name, login: session.login.login, session: session.id, resume: !truncates },
    {
      intake: session.intake,
      fileMaxBytes: session.fileMaxBytes,
      append: (flags & OPEN_FLAG.append) !== 0,
      existed: seen !== null && !truncates,
      resumes: !truncates,
      handedOver: isOurs ? seen.size : null,
      mayCommit: () => hasHome(session, place.home),
      failed(error, size) {
        session.failures.set(path, error.message);
        failed(error.message, size);
        return named(error, size);
      },
      abandoned: (size) => failed('the connection ended before the file was complete', size),
      ...(node.isMarker && { discarded: (facts) => session.markers.set(path, facts) }),
      isAnswerIgnored: session.closeAnswers.mayBeIgnored,
      clock: session.clock,
      log: session.log,
    },
  );
}

/** Throws `forbidden` where no file can be put by this login, and remembers what was tried in a home. */
function mayPut(session: SessionContext, node: Node): asserts node is NodeOf<'dropped'> {
  try {
    mustWrite(session);
    if (isFolder(node)) throw new AppError('forbidden', 'this is a folder; name a file in it');
    if (node.kind === 'view-file') throw readsOnly(node.at);
    if (node.kind === 'answer-entry')
      throw new AppError('forbidden', `orders are moved here out of ${namesAt(session).outbox || 'the top'}; nothing can be uploaded`);
    if (node.kind === 'published-file' && node.isAmongDropped) throw resultsName(node);
    if (node.kind !== 'dropped') throw new AppError('forbidden', `files can be put into ${namesAt(session).inbox} only`);
  } catch (error) {
    const { message: reason } = toAppError(error);
    if (node.kind === 'dropped') session.transfers.failed({ home: node.place.home, name: node.name, size: 0, reason });
    if (node.kind === 'published-file') session.transfers.failed({ home: node.at.home, name: node.name, size: 0, reason });
    throw error;
  }
}
