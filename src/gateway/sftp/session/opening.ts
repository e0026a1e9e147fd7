// OPEN: which files may be opened for what, and what the flags of version 3 mean for an inbox.
import { AppError } from '#domain/error.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { inFolder, nullIf } from '#runtime/files/safe-folder.ts';
import { type Desk, hasHome, isFolder, mustHaveHome, namesAt, nodeAt, nothingThere } from './files.ts';
import { Download } from './handles.ts';
import { openKept, removeKept } from './home-files.ts';
import type { NodeOf } from './tree.ts';
import { Upload } from './upload.ts';

/** Throws `missing`, `exists`, `forbidden`, and what opening throws. */
export function openPath(desk: Desk, path: ByteName, flags: number): Promise<Upload | Download> {
  return flags & (OPEN_FLAG.write | OPEN_FLAG.append) ? openForWriting(desk, path, flags) : openForReading(desk, path);
}

async function openForReading(desk: Desk, path: ByteName): Promise<Download> {
  const node = nodeAt(desk, path);
  if (node.kind === 'kept') {
    const { home } = node.shelf;
    return new Download(await openKept(desk.home, node.shelf, node.name), () => mustHaveHome(desk, home), takenBy(desk, node));
  }
  if (node.kind === 'dropped') return readBack(desk, node);
  throw isFolder(node) ? new AppError('forbidden', 'this is a folder; name a file in it') : nothingThere();
}

/** A complete download may be all that an ERP does with a document. A login that may only read takes nothing away by it. */
function takenBy(desk: Desk, { shelf, name }: NodeOf<'kept'>): (() => Promise<void>) | null {
  if (shelf.folder !== 'outbox' || desk.login.rules.readOnly || !desk.downloadTakes(shelf.home)) return null;
  return async () => {
    if (!hasHome(desk, shelf.home)) return;
    try {
      await removeKept(desk, shelf, name);
      desk.log.info({ event: 'outbox.taken', home: shelf.home, file: name });
    } catch (error) {
      // The client has it all the same; at worst it finds it there once more.
      desk.log.warn({ event: 'outbox.not-taken', home: shelf.home, file: name, err: error });
    }
  };
}

/** What was dropped can be read for as long as it is seen, unless what became of it was removed. */
async function readBack(desk: Desk, { place, name }: NodeOf<'dropped'>): Promise<Download> {
  if (!(await desk.intake.find(place, name, desk.session))) throw nothingThere();
  for (const { root, components, name: kept } of await desk.intake.where(place, name, desk.session)) {
    const file = await inFolder(root, components, (folder) => folder.open(kept)).catch(nullIf('missing'));
    if (file) return new Download(file, () => mustHaveHome(desk, place.home));
  }
  throw new AppError('forbidden', 'this file has been taken over; its receipt tells what became of it');
}

/** Throws `forbidden` for a login that may only read. */
export function mustWrite({ login }: Desk): void {
  if (login.rules.readOnly) {
    throw new AppError('forbidden', 'this login may only read; ask the administrator for one that may write');
  }
}

async function openForWriting(desk: Desk, path: ByteName, flags: number): Promise<Upload> {
  mustWrite(desk);
  const node = nodeAt(desk, path);
  if (isFolder(node)) throw new AppError('forbidden', 'this is a folder; name a file in it');
  if (node.kind !== 'dropped') throw new AppError('forbidden', `files can be put into ${namesAt(desk).inbox} only`);
  if (desk.isStopping()) throw new AppError('internal', 'the server is stopping; try again in a minute');
  const { place, name } = node;
  const named = (error: AppError, size: number): AppError =>
    new AppError(error.code, error.message, { cause: error.cause, facts: { home: place.home, file: nameText(name), size } });
  const [creates, truncates, excludes] = [OPEN_FLAG.create, OPEN_FLAG.truncate, OPEN_FLAG.exclusive].map((flag) => (flags & flag) !== 0);
  // The usual upload creates and truncates: what had the name before does not matter then.
  const seen = creates && truncates && !excludes ? null : await desk.intake.find(place, name, desk.session);
  if (!creates && !seen) throw nothingThere();
  if (excludes && seen) throw new AppError('exists', 'a file of this name is there already; overwrite it, or take another name');
  desk.failures.forget(path);
  const isOurs = !truncates && (seen?.state === 'taken' || seen?.state === 'found');
  return Upload.begin(
    { ...place, name, login: desk.login.login, session: desk.session, resume: !truncates },
    {
      intake: desk.intake,
      fileMaxBytes: desk.fileMaxBytes,
      append: (flags & OPEN_FLAG.append) !== 0,
      existed: seen !== null && !truncates,
      resumes: !truncates,
      handedOver: isOurs ? seen.size : null,
      mayCommit: () => hasHome(desk, place.home),
      failed(error, size) {
        desk.failures.set(path, error.message);
        return named(error, size);
      },
      clock: desk.clock,
      log: desk.log,
    },
  );
}
