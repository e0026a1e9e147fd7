// OPEN: which files may be opened for what, and what the flags of version 3 mean for an inbox.
import { AppError } from '#domain/error.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { inFolder, nullIf } from '#runtime/files/safe-folder.ts';
import { hasHome, isFolder, mustHaveHome, namesAt, nodeAt, nothingThere, type SessionContext } from './files.ts';
import { Download } from './handles.ts';
import { openPublished, removePublished } from './home-files.ts';
import type { NodeOf } from './tree.ts';
import { Upload } from './upload.ts';

/** Throws `missing`, `exists`, `forbidden`, and what opening throws. */
export function openPath(session: SessionContext, path: ByteName, flags: number): Promise<Upload | Download> {
  return flags & (OPEN_FLAG.write | OPEN_FLAG.append) ? openForWriting(session, path, flags) : openForReading(session, path);
}

async function openForReading(session: SessionContext, path: ByteName): Promise<Download> {
  const node = nodeAt(session, path);
  if (node.kind === 'published-file') {
    const { home } = node.at;
    return new Download(await openPublished(session.home, node.at, node.name), () => mustHaveHome(session, home), takenBy(session, node));
  }
  if (node.kind === 'dropped') return readBack(session, node);
  throw isFolder(node) ? new AppError('forbidden', 'this is a folder; name a file in it') : nothingThere();
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
  mustWrite(session);
  const node = nodeAt(session, path);
  if (isFolder(node)) throw new AppError('forbidden', 'this is a folder; name a file in it');
  if (node.kind !== 'dropped') throw new AppError('forbidden', `files can be put into ${namesAt(session).inbox} only`);
  if (session.isStopping()) throw new AppError('internal', 'the server is stopping; try again in a minute');
  const { place, name } = node;
  const named = (error: AppError, size: number): AppError =>
    new AppError(error.code, error.message, { cause: error.cause, facts: { home: place.home, file: nameText(name), size } });
  const [creates, truncates, excludes] = [OPEN_FLAG.create, OPEN_FLAG.truncate, OPEN_FLAG.exclusive].map((flag) => (flags & flag) !== 0);
  // The usual upload creates and truncates: what had the name before does not matter then.
  const seen = creates && truncates && !excludes ? null : await session.intake.find(place, name, session.id);
  if (!creates && !seen) throw nothingThere();
  if (excludes && seen) throw new AppError('exists', 'a file of this name is there already; overwrite it, or take another name');
  session.failures.forget(path);
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
        return named(error, size);
      },
      clock: session.clock,
      log: session.log,
    },
  );
}
