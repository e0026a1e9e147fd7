// The folders in which orders are answered: files are moved into them and back, and folders for reasons made. What follows is not the session's work.
import { closeSync, fstatSync, mkdirSync, readFile, rmdirSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import { REASONS_MAX } from '#gateway/model/order-answer.ts';
import { toText } from '#gateway/sftp/protocol/paths.ts';
import type { Listed } from '#gateway/sftp/protocol/replies.ts';
import { inOurWords } from '#runtime/files/held-folder.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { inFolder, type OpenFile, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { nullIf, systemCode } from '#runtime/files/system-code.ts';
import { type HomePath, type HomesOnDisk, isShown } from './home-files.ts';
import type { AnswerPlace, NodeOf } from './tree.ts';

/** A file of a home, by the folders that lead to it. */
export interface FileOfHome {
  readonly home: string;
  readonly components: readonly ByteName[];
  readonly name: ByteName;
}

/** Whether the bytes are an order that this home received. */
export type IsReceivedOrder = (home: string, bytes: Buffer) => Promise<boolean>;

/** What has this name: a file, or a folder that was made for a reason; null where there is nothing that a session sees. */
export async function statAnswer(home: HomePath, { at, name }: NodeOf<'answer-entry'>): Promise<Omit<Listed, 'name'> | null> {
  if (!isShown(name)) return null;
  return inFolder(home(at.home), at.components, async (folder) => factsOf(at, await folder.look(name))).catch(nullIf('missing'));
}

/** None where the folder is not there yet. */
export async function listAnswers(home: HomePath, at: AnswerPlace): Promise<ByteName[]> {
  const names = await inFolder(home(at.home), at.components, (folder) => folder.list()).catch(nullIf('missing'));
  return (names ?? []).filter(isShown).sort();
}

/** The facts of those that are (still) there. */
export async function statAnswers(home: HomePath, at: AnswerPlace, names: readonly ByteName[]): Promise<Listed[]> {
  return inFolder(home(at.home), at.components, async (folder) => {
    const found = await Promise.all(
      names.map(async (name) => {
        const facts = factsOf(at, await folder.look(name));
        return facts ? [{ ...facts, name: shownName(name) }] : [];
      }),
    );
    return found.flat();
  });
}

export function openAnswer(home: HomePath, { at, name }: NodeOf<'answer-entry'>): Promise<OpenFile> {
  mustBeShown(name);
  return inFolder(home(at.home), at.components, (folder) => folder.open(name));
}

/** With the rights of the folder around it: the group's bits are the most that an ACL grants. Throws `exists`, `forbidden`, `missing`, `quota`, `storage`. */
export async function makeReasonFolder({ home, folders }: HomesOnDisk, { at, name }: NodeOf<'answer-entry'>): Promise<void> {
  if (!mayHoldFolders(at)) throw new AppError('forbidden', 'a folder for a reason has no folders in it');
  mustBeNameable(name);
  await inFolder(home(at.home), at.components, async (folder) => {
    const { mode } = await folder.stats();
    await mustHaveRoom(folder, name);
    try {
      mkdirSync(folder.path(name), mode & 0o770);
    } catch (error) {
      throw systemCode(error) === 'EEXIST' ? new AppError('exists', 'this folder is there already') : inOurWords(error);
    }
  });
  await folders.sync(home(at.home), at.components);
}

/** Empty ones stay until somebody removes them. */
async function mustHaveRoom(folder: SafeFolder, name: ByteName): Promise<void> {
  const names = await folder.list();
  if (names.length < REASONS_MAX || names.includes(name)) return;
  const looks = await Promise.all(names.map((each) => folder.look(each)));
  if (looks.filter((stats) => stats?.isDirectory()).length < REASONS_MAX) return;
  const sentence = `there are ${REASONS_MAX} folders for reasons here already; remove those that are empty, or write the reason as the order's new name, with .txt at its end`;
  throw new AppError('quota', sentence);
}

/** Throws `forbidden` while orders are in it, `missing`, `storage`. */
export async function removeReasonFolder({ home, folders, inHand }: HomesOnDisk, { at, name }: NodeOf<'answer-entry'>): Promise<void> {
  mustBeShown(name);
  await inFolder(home(at.home), at.components, async (folder) => {
    inHand.check();
    try {
      rmdirSync(folder.path(name));
    } catch (error) {
      if (systemCode(error) !== 'ENOTEMPTY') throw inOurWords(error);
      throw new AppError('forbidden', 'there are orders in this folder; move them back first');
    }
  });
  await folders.sync(home(at.home), at.components);
}

/** Into a folder for answers, out of it, or within; only an order where that is asked. Throws `missing`, `exists`, `forbidden`, `name`, `storage`. */
export async function moveOrder(
  { home, folders, inHand }: HomesOnDisk,
  from: FileOfHome,
  to: FileOfHome,
  isOrder?: IsReceivedOrder,
): Promise<void> {
  mustBeShown(from.name);
  mustBeNameable(to.name);
  await inFolder(home(from.home), from.components, (there) =>
    inFolder(home(to.home), to.components, async (here) => {
      if (!(await there.stat(from.name))) throw new AppError('missing', 'there is no such file');
      await mustBeFree(here, to.name);
      const order = isOrder && (await readOrder(there, from.name));
      if (order && !(await isOrder(from.home, order.bytes)))
        throw new AppError('forbidden', 'this is not an order that was received; only one that you have asked about is moved from here');
      inHand.check();
      try {
        renameOurs(there.path(from.name), here.path(to.name));
      } catch (error) {
        throw inOurWords(error);
      }
      if (order && (await here.look(to.name))?.ino !== order.ino) {
        inHand.check();
        renameOurs(here.path(to.name), there.path(from.name));
        throw new AppError('forbidden', 'another file got this name meanwhile; try again');
      }
    }),
  );
  await Promise.all([folders.sync(home(to.home), to.components), folders.sync(home(from.home), from.components)]);
}

async function readOrder(folder: SafeFolder, name: ByteName): Promise<{ readonly bytes: Buffer; readonly ino: number }> {
  const { descriptor } = await folder.open(name);
  try {
    return { bytes: await promisify(readFile)(descriptor), ino: fstatSync(descriptor).ino };
  } finally {
    closeSync(descriptor);
  }
}

/** Never replaced: what has the name is another order. */
async function mustBeFree(folder: SafeFolder, name: ByteName): Promise<void> {
  if (await folder.look(name)) throw new AppError('exists', `'${nameText(name)}' is there already; choose another name`);
}

function factsOf(at: AnswerPlace, stats: Stats | null): Omit<Listed, 'name'> | null {
  if (stats?.isDirectory() && mayHoldFolders(at)) return { kind: 'folder', size: 0, mtimeMs: stats.mtimeMs };
  return stats?.isFile() && stats.nlink === 1 ? { kind: 'file', size: stats.size, mtimeMs: stats.mtimeMs } : null;
}

/** Below the folder of an answer, and not deeper. */
function mayHoldFolders({ components }: AnswerPlace): boolean {
  return components.length === 2;
}

function mustBeShown(name: ByteName): void {
  if (!isShown(name)) throw new AppError('missing', 'there is no such file or folder');
}

function mustBeNameable(name: ByteName): void {
  if (!isShown(name)) throw new AppError('forbidden', 'a name here must not begin with a dot; choose another');
  if (toText(name) === null) throw new AppError('name', 'the name is not UTF-8; choose another');
}
