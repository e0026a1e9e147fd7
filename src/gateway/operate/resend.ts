// Sending again by a person's word: one held, refused or failed item; or all that was accepted since a time, after the service was restored.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { itemIds } from '#domain/id.ts';
import { copyDurable } from '#gateway/disk/carry.ts';
import { discard, homeFolder, isIn } from '#gateway/disk/paths.ts';
import { copyPath, spooledPath } from '#gateway/disk/spool-files.ts';
import { readAccount } from '#gateway/ledger/accounts.ts';
import { forgetMarks } from '#gateway/ledger/documents.ts';
import { reviveItem } from '#gateway/ledger/items.ts';
import { isOriginal } from '#gateway/ledger/publications.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import { type FoundItem, readAcceptedSince, readHistory, readPendingResends, searchItems } from '#gateway/ledger/searches.ts';
import { toByteName } from '#gateway/model/intake.ts';
import type { ItemState } from '#gateway/model/item.ts';
import { lockHome } from '#gateway/spool/hands.ts';
import { type Complete, takeIntoCustody } from '#gateway/spool/take-into-custody.ts';
import { isNotThere } from '#runtime/files/held-folder.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { type ForgottenOriginal, forgottenOriginals, type KeptOriginal, originalOf } from './forgotten.ts';
import { itemNamed, type Operator } from './operator.ts';

/** The item that is under way now: the same one for a held item, a new one otherwise. Throws `missing`, `forbidden`, `storage`. */
export async function resendItem(on: Operator, idOrEnd: string): Promise<string> {
  const found = await itemNamed(on.ledger, idOrEnd);
  using _home = await lockHome(on, found.home);
  await mustBeServed(on, found);
  return RESENDS[found.state](on, found);
}

/** Items of one command, the oldest first; the next one takes those that came after them. */
const HELD_AT_ONCE_MAX = 100_000;

interface HeldItem {
  readonly found: FoundItem;
  /** Why it is not on its way; null when it is. */
  readonly problem: string | null;
}

/** Sends on their way all items of an account that are held, the oldest first. Throws `storage`. */
export async function* resendHeld(on: Operator, accountRegNo: string): AsyncGenerator<HeldItem> {
  const held = await searchItems(on.ledger.read, { states: ['held'], accountRegNo, limit: HELD_AT_ONCE_MAX });
  for (const found of held.reverse()) yield { found, problem: await problemOf(() => resendItem(on, found.item)) };
}

/** Why it could not be done, where that is known; null when it was. */
async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'missing' || error.code === 'forbidden')) return error.message;
    throw error;
  }
}

/** It would only be held, at once. Throws `forbidden`. */
async function mustBeServed({ ledger }: Operator, { item, accountRegNo, state }: FoundItem): Promise<void> {
  if (!(await readAccount(ledger.read, accountRegNo))?.unlinked) return;
  const instead = state === 'held' ? 'stays held' : `stays ${state}, and would be held if it were sent again`;
  throw new AppError(
    'forbidden',
    `Nobody here may act for account ${accountRegNo}, so item ${item} ${instead}: link the account again ('dropgate partner link'), or cancel the item.`,
  );
}

type Resend = (on: Operator, found: FoundItem) => Promise<string>;

const RESENDS: Readonly<Record<ItemState, Resend>> = {
  async pending(_, { item }) {
    throw new AppError('forbidden', `Item ${item} is under way already; 'dropgate item ${item}' tells what it waits for.`);
  },

  async held({ data, ledger }, found) {
    const { item, home } = found;
    if (!existsSync(join(data, spooledPath(found)))) {
      throw new AppError('missing', `The file of item ${item} is not in the spool any more; the document must be dropped again.`);
    }
    const revived = await ledger.write(scopesOf(found), async (rows) => {
      await leaveRing(rows, { home, topic: 'submit', id: item });
      return reviveItem(rows, item, 'held', 'sent again by the administrator');
    });
    if (!revived) throw new AppError('forbidden', `Item ${item} has just been sent or cancelled; 'dropgate item ${item}' tells.`);
    return item;
  },

  refused: takeOriginal,
  cancelled: takeOriginal,

  async accepted(on, found) {
    if (found.network !== 'rejected' && found.network !== 'failed') {
      throw new AppError(
        'forbidden',
        `Item ${found.item} was accepted, and the network has not refused it. After the service was restored from a backup, use 'dropgate resubmit'.`,
      );
    }
    return takeCopy(on, found, false);
  },
};

/** Moves the original out of refused, as a client does that renames it back into inbox. */
async function takeOriginal(on: Operator, found: FoundItem): Promise<string> {
  const { folder, name } = await originalNamed(on, found);
  return inHome(on, found.home, folder, found.item, async (at) => {
    const stats = await at.look(name);
    if (!stats?.isFile() || stats.nlink > 1) throw gone(found.item);
    const { size, mtimeMs, ino } = stats;
    return take(on, found, { path: at.path(name), size, found: { mtimeMs, ino }, sha256: null, onFailure: 'give-back', doubtful: false });
  });
}

async function takeCopy(on: Operator, found: FoundItem, doubtful: boolean): Promise<string> {
  const path = copyPath(on.data, on.incarnation, found.item);
  const original = await originalNamed(on, found);
  const { sha256 } = found;
  if ((await copyOriginal(on, { ...original, home: found.home, item: found.item }, path)) === sha256) {
    return take(on, found, { path, size: statSync(path).size, sha256, onFailure: 'discard', doubtful });
  }
  discard(path);
  throw new AppError('missing', `The original of item ${found.item} is not what was sent: somebody has changed it.`);
}

/** Resolves with the digest of what was copied. Throws `missing`, `storage`; then nothing is left. */
function copyOriginal(
  on: Operator,
  { home, folder, name, item }: KeptOriginal & { readonly home: string; readonly item: string },
  copy: string,
): Promise<string> {
  return inHome(on, home, folder, item, async (at) => {
    const { descriptor } = await at.open(name);
    // A command that was killed may have left one.
    discard(copy);
    try {
      return await copyDurable(createReadStream('', { fd: descriptor }), copy);
    } catch (error) {
      discard(copy);
      throw new AppError('storage', `The original of item ${item} cannot be copied.`, { cause: error });
    }
  });
}

/** Works in a folder of a home. Throws `missing` when the file was taken away, or its time was over. */
async function inHome<Result>(
  { data }: Operator,
  home: string,
  folder: KeptOriginal['folder'],
  item: string,
  use: (at: SafeFolder) => Promise<Result>,
): Promise<Result> {
  try {
    return await inFolder(homeFolder(data, home), [folder], use);
  } catch (error) {
    throw isNotThere(error) ? gone(item) : error;
  }
}

/** As a byte name. Throws `missing`. */
async function originalNamed({ data, ledger }: Operator, found: FoundItem): Promise<KeptOriginal> {
  const { published } = await readHistory(ledger.read, found);
  const original = published.find(isOriginal) ?? originalOf(data, found);
  if (!original || !isIn(data, found.home, original.folder, original.name)) throw gone(found.item);
  return { ...original, name: toByteName(original.name) };
}

function gone(item: string): AppError {
  return new AppError('missing', `The original of item ${item} is not in the home any more: drop the document again.`);
}

async function take(
  on: Operator,
  found: FoundItem,
  how: Pick<Complete, 'path' | 'size' | 'found' | 'sha256' | 'onFailure' | 'doubtful'>,
): Promise<string> {
  const { home, login, fileName: name, item: resends } = found;
  const mode = found.mode === 'overwrite' && found.state !== 'accepted' ? 'overwrite' : 'resend';
  return takeRung(on, { home, login, name, mode, resends, ...how });
}

/** The daemon hears of it first: should this process be killed between the file's rename and its row, it finds the file. */
async function takeRung(on: Operator, file: Omit<Complete, 'item'>): Promise<string> {
  const item = itemIds(on.clock.now, on.random)();
  await on.ledger.write([], (rows) => leaveRing(rows, { home: file.home, topic: 'taking', id: item }));
  await takeIntoCustody(on, { ...file, item });
  return item;
}

export interface Resubmission {
  /** The item, or its original where the ledger does not know it any more. */
  readonly found: FoundItem | ForgottenOriginal;
  /** The new item, or why there is none; null where it was only asked. */
  readonly result: { readonly item: string } | { readonly problem: string } | null;
}

/**
 * Sends again the latest version of every document that was accepted since then, oldest first, and originals that the ledger has forgotten;
 * each is looked for at the service before it is posted. What was marked read since is marked again. `dryRun`: only lists them.
 */
export async function* resubmitAccepted(
  on: Operator,
  { dryRun, ...chosen }: { readonly sinceMs: number; readonly accountRegNo?: string; readonly dryRun: boolean },
): AsyncGenerator<Resubmission> {
  const { sinceMs, accountRegNo } = chosen;
  if (!dryRun) await on.ledger.write([], (rows) => forgetMarks(rows, sinceMs, accountRegNo));
  const underWay = await readPendingResends(on.ledger.read);
  const forgotten = await forgottenOriginals(on, chosen);
  for (const found of await readAcceptedSince(on.ledger.read, sinceMs, accountRegNo)) {
    if (underWay.has(found.item)) continue;
    yield {
      found,
      result: dryRun
        ? await foresee(on, found)
        : await resubmit(on, found.home, () => mustBeServed(on, found).then(() => takeCopy(on, found, true))),
    };
  }
  for (const found of forgotten) yield { found, result: dryRun ? null : await resubmit(on, found.home, () => takeForgotten(on, found)) };
}

async function resubmit(on: Operator, home: string, takeAgain: () => Promise<string>): Promise<Resubmission['result']> {
  using _home = await lockHome(on, home);
  try {
    return { item: await takeAgain() };
  } catch (error) {
    if (error instanceof AppError && (error.code === 'missing' || error.code === 'forbidden')) return { problem: error.message };
    throw error;
  }
}

async function takeForgotten(on: Operator, { home, short, original, fileName }: ForgottenOriginal): Promise<string> {
  const path = copyPath(on.data, on.incarnation, short);
  const sha256 = await copyOriginal(on, { home, folder: 'accepted', name: toByteName(original), item: short }, path);
  const name = toByteName(fileName);
  const size = statSync(path).size;
  return takeRung(on, { home, login: null, name, mode: 'resend', size, path, sha256, onFailure: 'discard', doubtful: true });
}

async function foresee(on: Operator, found: FoundItem): Promise<Resubmission['result']> {
  const problem = await originalNamed(on, found).then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.message : 'the original cannot be read'),
  );
  return problem === null ? null : { problem };
}
