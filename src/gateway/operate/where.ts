// Where the bytes of an item lie now.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isIn, shownPath } from '#gateway/disk/paths.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { isOriginal } from '#gateway/ledger/publications.ts';
import type { FoundItem, ItemHistory } from '#gateway/ledger/searches.ts';

/** The path of its file, in the spool or in the home; null when it is in neither. */
export function bytesOf(data: string, found: FoundItem, { published }: ItemHistory): string | null {
  const spooled = join(data, spooledPath(found));
  if (existsSync(spooled)) return spooled;
  const original = published.filter(isOriginal).find(({ folder, name }) => isIn(data, found.home, folder, name));
  return original ? shownPath(data, found.home, original.folder, original.name) : null;
}
