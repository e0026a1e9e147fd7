// Operations on all that there is of one account: handing it out, and erasing it.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { Type } from 'typebox';
import { eraseFromCore, foreseeErasure } from '#core/operate/erase.ts';
import { exportFromCore } from '#core/operate/export.ts';
import { AppError } from '#domain/error.ts';
import { eraseArchive, eraseHere, foreseeErasureHere } from '#gateway/operate/erase.ts';
import { exportHere } from '#gateway/operate/export.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { Count } from './forms.ts';
import { operation } from './operation.ts';

const Erasure = Type.Object({
  accountRegNo: Type.String(),
  /** Messages of the core, and dropped files; the files that are held are among them. */
  messages: Count,
  items: Count,
  held: Count,
  /** Its home is removed with all its files; a home of several accounts loses only what is known to be this one's. */
  isOwnHome: Type.Boolean(),
  archive: Type.Boolean(),
  erased: Type.Boolean(),
  /** The files of the ledgers hold nothing of it any more. */
  isWiped: Type.Boolean(),
});

export const accountErase = operation(
  Type.Object({
    accountRegNo: Type.String(),
    /** With the copies of its documents. */
    archive: Type.Boolean(),
    /** Only tells what would be erased. */
    dryRun: Type.Boolean(),
  }),
  Erasure,
  async ({ core, gateway, progress }, { accountRegNo, archive, dryRun }) => {
    const inCore = core ? await foreseeErasure(core, accountRegNo) : null;
    const here = gateway ? await foreseeErasureHere(gateway, accountRegNo) : null;
    // Perhaps not any more: who erased it may have been interrupted before its rows had left the files, too.
    const wipe = async (): Promise<boolean> => {
      progress('wiping the files of the ledgers');
      return [await gateway?.ledger.wipe(), await core?.ledger.wipe()].every((isWiped) => isWiped !== false);
    };
    if (inCore === null && !here) {
      await wipe();
      throw new AppError('missing', `There is no account ${accountRegNo}.`);
    }
    const found = {
      accountRegNo,
      messages: inCore ?? 0,
      items: here?.items ?? 0,
      held: here?.held ?? 0,
      isOwnHome: here?.isOwnHome ?? false,
      archive,
    };
    if (dryRun) return { ...found, erased: false, isWiped: false };
    if (gateway && here) await eraseHere(gateway, accountRegNo, here, progress);
    if (core && inCore !== null) await eraseFromCore(core, accountRegNo, progress);
    if (gateway && archive) {
      progress('erasing its archive');
      await eraseArchive(gateway, accountRegNo);
    }
    return { ...found, erased: true, isWiped: await wipe() };
  },
);

export const accountExport = operation(
  Type.Object({
    accountRegNo: Type.String(),
    /** A folder that is not there yet. */
    to: Type.String(),
  }),
  Type.Object({ accountRegNo: Type.String(), to: Type.String(), messages: Count, items: Count, received: Count }),
  async ({ core, gateway, progress }, { accountRegNo, to }) => {
    const unfinished = newFolder(to);
    try {
      const messages = core ? await exportFromCore(core, accountRegNo, ensureFolder(unfinished, 'core'), progress) : null;
      const here = gateway ? await exportHere(gateway, accountRegNo, ensureFolder(unfinished, 'gateway'), progress) : null;
      if (messages === null && !here) throw new AppError('missing', `There is no account ${accountRegNo}.`);
      renameSync(unfinished, to);
      return { accountRegNo, to, messages: messages ?? 0, items: here?.items ?? 0, received: here?.received ?? 0 };
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
  },
);

/**
 * Makes the folder in which the export is written, and which gets its name when it is whole: what an interrupted one has left is not taken for one. For its
 * owner only: it holds the account's documents. Throws `exists`.
 */
function newFolder(to: string): string {
  const unfinished = `${to}.unfinished`;
  if (existsSync(to)) throw new AppError('exists', `There is ${to} already: name a folder that is not there yet.`);
  try {
    mkdirSync(unfinished, { mode: 0o700 });
  } catch (cause) {
    throw new AppError(
      'exists',
      `The folder ${unfinished} cannot be made: remove it where an export was interrupted, or name another folder, in one that is there.`,
      { cause },
    );
  }
  return unfinished;
}
