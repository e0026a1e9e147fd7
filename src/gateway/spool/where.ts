// Where the bytes of an item lie now.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '#gateway/home/home.ts';
import type { FoundItem, ItemHistory } from '#gateway/ledger/searches.ts';
import { spooledPath } from './spool.ts';

/** The path of its file, in the spool or in the home; null when it is in neither. */
export function bytesOf(data: string, found: FoundItem, { published }: ItemHistory): string | null {
  const originals = published.filter(({ folder }) => folder === 'accepted' || folder === 'refused');
  const places = [join(data, spooledPath(found)), ...originals.map(({ folder, name }) => join(homeFolder(data, found.home), folder, name))];
  return places.find((path) => existsSync(path)) ?? null;
}
