// Which files are meant: a file as it is named, of a folder every .xml and .json in it and below.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder } from '#runtime/files/durable.ts';

const DOCUMENT = /\.(?:xml|json)$/i;
const DEPTH_MAX = 32;

/** In the order in which they are named, a folder's by name. Hidden files and symbolic links in folders are passed over. */
export function* filesOf(names: readonly string[]): Generator<string> {
  for (const name of names) {
    if (isFolder(name)) yield* below(name, 0);
    else yield name;
  }
}

function* below(folder: string, depth: number): Generator<string> {
  if (depth >= DEPTH_MAX) return;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* below(join(folder, entry.name), depth + 1);
    else if (entry.isFile() && DOCUMENT.test(entry.name)) yield join(folder, entry.name);
  }
}
