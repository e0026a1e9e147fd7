// What stands in files: of a home, and of an item wherever it lies.
import { closeSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { isOriginal } from '#gateway/ledger/publications.ts';
import type { FoundItem, ItemHistory } from '#gateway/ledger/searches.ts';
import { toByteName } from '#gateway/model/intake.ts';
import type { HomeFolder } from '#gateway/model/rule-words.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { nullIf } from '#runtime/files/system-code.ts';

/** Of a longer document no lines are shown, and it is not judged again. */
export const LINED_BYTES_MAX = 20 * 2 ** 20;

interface HomeFile {
  readonly home: string;
  readonly folder: HomeFolder;
  readonly name: string;
}

/** Null where it is not there any more. Throws `too-large`. */
export async function readInHome(data: string, { home, folder, name }: HomeFile, bytesMax: number): Promise<Buffer | null> {
  const file = await inFolder(homeFolder(data, home), [folder], (held) => held.open(toByteName(name))).catch(nullIf('missing'));
  if (!file) return null;
  try {
    mustBeShort(file.size, bytesMax);
    return readFileSync(file.descriptor);
  } finally {
    closeSync(file.descriptor);
  }
}

/** The file of an item, from the spool or from its home; null where it is in neither. Throws `too-large`. */
export async function readItemBytes(
  data: string,
  found: FoundItem,
  { published }: Pick<ItemHistory, 'published'>,
  bytesMax: number,
): Promise<Buffer | null> {
  const spooled = join(data, spooledPath(found));
  if (existsSync(spooled)) {
    mustBeShort(statSync(spooled).size, bytesMax);
    return readFileSync(spooled);
  }
  for (const { folder, name } of published.filter(isOriginal)) {
    const bytes = await readInHome(data, { home: found.home, folder, name }, bytesMax);
    if (bytes) return bytes;
  }
  return null;
}

function mustBeShort(size: number, bytesMax: number): void {
  if (size <= bytesMax) return;
  throw new AppError('too-large', `The file has ${size} bytes, and ${bytesMax} are shown at the most: take it from its folder.`);
}
