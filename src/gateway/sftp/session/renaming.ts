// RENAME: from a temporary to a real name in the inbox (the commit), within the outbox, and from refused back to the inbox (send again).
import { AppError } from '#domain/error.ts';
import { type ByteName, isReal } from '#gateway/model/intake.ts';
import { toText } from '#gateway/sftp/protocol/paths.ts';
import { type Desk, isFolder, namesAt, nodeAt, nothingThere } from './files.ts';
import { renameKept, statShelf } from './home-files.ts';
import type { NodeOf } from './tree.ts';

/** Throws `missing`, `forbidden`, `name`, `storage`, and `exists` unless it may replace what has the new name. */
export async function renamePath(desk: Desk, from: ByteName, to: ByteName, mayReplace: boolean): Promise<void> {
  const source = nodeAt(desk, from);
  const target = nodeAt(desk, to);
  if (source.kind === 'dropped' && target.kind === 'dropped') return renameDropped(desk, source, target, mayReplace);
  if (source.kind === 'kept' && target.kind === 'kept') return renameOnShelf(desk, source, target, mayReplace);
  if (source.kind === 'kept' && target.kind === 'dropped') return sendAgain(desk, source, target);
  if (source.kind === 'nowhere') throw nothingThere();
  if (isFolder(source)) throw new AppError('forbidden', 'the folders of a home cannot be renamed; rename the files in them');
  const { refused, inbox } = namesAt(desk);
  throw new AppError('forbidden', `files can be renamed within their folder, and moved from ${refused} to ${inbox}`);
}

async function renameDropped(desk: Desk, source: NodeOf<'dropped'>, target: NodeOf<'dropped'>, mayReplace: boolean): Promise<void> {
  if (source.place.home !== target.place.home) throw betweenAccounts();
  const isThere = ({ place, name }: NodeOf<'dropped'>) => desk.intake.find(place, name, desk.session);
  if (mayReplace && source.name !== target.name && (await isThere(source)) && (await isThere(target))) {
    await desk.intake.remove(target.place, target.name, desk.session);
  }
  const by = { login: desk.login.login, session: desk.session };
  await desk.intake.rename({ ...source.place, name: source.name }, { ...target.place, name: target.name }, by);
}

async function renameOnShelf(desk: Desk, source: NodeOf<'kept'>, target: NodeOf<'kept'>, mayReplace: boolean): Promise<void> {
  const isSame = source.shelf.home === target.shelf.home && source.shelf.folder === target.shelf.folder;
  if (!isSame) {
    throw new AppError(
      'forbidden',
      `files cannot be moved between these folders; download the file and put it into ${namesAt(desk).inbox}`,
    );
  }
  await renameKept(desk, source.shelf, source.name, target.name, mayReplace);
}

/** A refused original that is moved back to the inbox is sent again. */
async function sendAgain(desk: Desk, { shelf, name }: NodeOf<'kept'>, target: NodeOf<'dropped'>): Promise<void> {
  if (shelf.home !== target.place.home) throw betweenAccounts();
  const { refused, inbox } = namesAt(desk);
  if (shelf.folder !== 'refused') throw new AppError('forbidden', `only files in ${refused} can be moved to ${inbox}, to be sent again`);
  if (!(await statShelf(desk.home, shelf, [name]))[0]) throw nothingThere();
  const text = toText(name);
  if (text === null) throw new AppError('name', 'the name is not UTF-8; download the file and drop it again');
  const { place, name: newName } = target;
  if (!isReal({ ...place, name: newName })) {
    throw new AppError('name', `this is a name for what is not finished; move the file to ${inbox} under its real name`);
  }
  await desk.intake.resend({ ...place, name: newName, login: desk.login.login, session: desk.session, kept: text });
}

function betweenAccounts(): AppError {
  return new AppError('forbidden', 'files cannot be moved between accounts; download the file and put it into the inbox of the other');
}
