// Days of the archive that are over: each is closed by its manifest, and goes when it has been kept for long enough. Beside the key stands how far the
// chain of an account goes, so that days which are cut off at either end are missed.
import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { endOfDay } from '#domain/day.ts';
import { ownJson } from '#domain/json.ts';
import { removeDurable } from '#runtime/files/durable.ts';
import { replaceJson } from '#runtime/files/json-file.ts';
import type { Log } from '#runtime/log.ts';
import type { ArchiveParts } from './archive.ts';
import { entryOf, readManifest, signingKey, writeManifest } from './manifest.ts';
import { archiveFolder, daysOf, ENDS, endsFolder, filesOf, isPlainFolder } from './places.ts';

/** Files that were under way at midnight are there by then. */
const CLOSED_AFTER_MS = 60 * 60_000;

const Ends = Type.Object({
  /** The last day that was closed. */
  closed: Type.Union([Type.Object({ day: Type.String(), sha256: Type.String() }), Type.Null()]),
  /** The last day that was removed because its time was over. */
  thinned: Type.Union([Type.String(), Type.Null()]),
});
type Ends = Readonly<Static<typeof Ends>>;

const checker = Compile(Ends);
const NONE: Ends = { closed: null, thinned: null };

export function endsPath(data: string, accountRegNo: string): string {
  return join(endsFolder(data), `${accountRegNo}${ENDS}`);
}

/** How far the chain of an account goes. Throws `storage`. */
export function readEnds(data: string, accountRegNo: string): Ends {
  const path = endsPath(data, accountRegNo);
  if (!existsSync(path)) return NONE;
  return ownJson(readFileSync(path, 'utf8'), checker, `${path} cannot be read.`);
}

function writeEnds({ data, inHand }: Pick<ChainParts, 'data' | 'inHand'>, accountRegNo: string, ends: Ends): Promise<void> {
  return replaceJson(endsPath(data, accountRegNo), ends, { check: inHand.check });
}

/** The archive of an account is in the hand of the process that has its home. */
type ChainParts = Pick<ArchiveParts, 'data' | 'inHand' | 'clock'>;

/** Closes the days of an account that are over, in their order; a day whose closing was interrupted is closed anew. */
export async function closeDays({ data, inHand, clock }: ChainParts, accountRegNo: string): Promise<void> {
  const ends = readEnds(data, accountRegNo);
  let { closed } = ends;
  for (const day of await daysOf(data, accountRegNo)) {
    const isOver = (endOfDay(day) ?? Number.POSITIVE_INFINITY) + CLOSED_AFTER_MS <= clock.now();
    if (!isOver || (closed && day <= closed.day)) continue;
    const folder = join(archiveFolder(data, accountRegNo), day);
    if (!(await isPlainFolder(folder))) continue;
    const key = await signingKey(data);
    const found = await readManifest(folder, createPublicKey(key));
    // The process ended between the manifest and the note of it.
    if (found?.isSigned && found.manifest.day === day && found.manifest.before?.sha256 === closed?.sha256) closed = found.link;
    else closed = await closeDay(folder, { accountRegNo, day, before: closed }, key, inHand);
    await writeEnds({ data, inHand }, accountRegNo, { ...ends, closed });
  }
}

/** How the name of a file ends that a crash has left half written. */
const HALF_WRITTEN = '.new';

type Named = Pick<Parameters<typeof writeManifest>[1], 'accountRegNo' | 'day' | 'before'>;

async function closeDay(folder: string, named: Named, key: Parameters<typeof writeManifest>[2], inHand: ChainParts['inHand']) {
  const files = [];
  for (const name of await filesOf(folder)) {
    if (!name.endsWith(HALF_WRITTEN)) {
      files.push(await entryOf(folder, name));
      continue;
    }
    inHand.check();
    await rm(join(folder, name));
  }
  return writeManifest(folder, { archive: 1, ...named, files }, key, inHand.check);
}

/**
 * Removes the days that are over for longer than copies are kept. Where none are to be kept any more (0), those that are there were promised a period that nobody
 * knows now: none is removed.
 */
export async function thinArchive(
  { data, inHand, clock, log }: ChainParts & { readonly log: Log },
  accountRegNo: string,
  keptMs: number,
): Promise<void> {
  if (keptMs === 0) return;
  const beforeMs = clock.now() - keptMs;
  const over = (await daysOf(data, accountRegNo)).filter((day) => (endOfDay(day) ?? Number.POSITIVE_INFINITY) < beforeMs);
  const last = over.at(-1);
  if (last === undefined) return;
  const ends = readEnds(data, accountRegNo);
  // Noted first: a day that is not there any more, and should be, would look as if somebody had removed it. After a power loss an earlier one may be there again.
  const thinned = ends.thinned !== null && ends.thinned > last ? ends.thinned : last;
  await writeEnds({ data, inHand }, accountRegNo, { ...ends, thinned });
  // None of them returns after the archive was switched off, when nothing would remove it again.
  await removeDurable(
    over.map((day) => join(archiveFolder(data, accountRegNo), day)),
    inHand.check,
  );
  log.info({ event: 'archive.removed', accountRegNo, days: over.length, first: over[0], last });
}
