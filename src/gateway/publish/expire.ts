// A file in a home whose time is over goes, and the ledger knows when.
import { unlink } from 'node:fs/promises';
import { keepExpiry, takeExpiryBack } from '#gateway/ledger/fetches.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { PublicationFolder } from '#gateway/ledger/tables/sending.ts';
import { textOf } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import type { SafeFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';

/** Files that go at a time: what the ledger is told of them is committed together. */
const REMOVED_AT_ONCE = 16;

export interface ExpireParts {
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'check'>;
  readonly clock: Clock;
}

interface Expiring {
  readonly home: string;
  readonly folder: PublicationFolder;
  readonly keepMs: number;
  /** Ends it before the next file. */
  readonly stopping?: AbortSignal;
}

/** Removes those of these files whose time is over, and returns how many have gone. */
export async function expire(parts: ExpireParts, at: SafeFolder, names: readonly ByteName[], expiring: Expiring): Promise<number> {
  let removed = 0;
  await forEachLimit(names, REMOVED_AT_ONCE, async (name) => {
    if (!expiring.stopping?.aborted && (await expireFile(parts, at, name, expiring))) removed++;
  });
  return removed;
}

/**
 * The ledger is told first, so that no file goes untold; and what a death in between leaves there is removed by the next look, which tells it at
 * the same place. False where the file has gone meanwhile, or another one has come.
 */
async function expireFile(
  { ledger, inHand, clock }: ExpireParts,
  at: SafeFolder,
  name: ByteName,
  { home, folder, keepMs }: Expiring,
): Promise<boolean> {
  const scopes = [`home ${home}`] as const;
  const file = { home, folder, name: textOf(name) };
  const nowMs = clock.now();
  await ledger.write(scopes, (rows) => keepExpiry(rows, file, nowMs));
  if (await removeOld(at, name, nowMs - keepMs, inHand.check)) return true;
  await ledger.write(scopes, (rows) => takeExpiryBack(rows, file));
  return false;
}

/**
 * Removes a file that was put there (or last changed) before `beforeMs`; the time of its content does not count, for clients set it. False for a
 * file that is young enough, or has gone meanwhile: a client took it, or sent it again.
 */
async function removeOld(folder: SafeFolder, name: ByteName, beforeMs: number, check: () => void): Promise<boolean> {
  try {
    const stat = await folder.look(name);
    if (!stat?.isFile() || stat.ctimeMs >= beforeMs) return false;
    check();
    await unlink(folder.path(name));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
