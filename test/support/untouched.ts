// That nothing of a data folder is renamed, removed or replaced while something runs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Where files are on their way: there may be more of them. */
const ON_THEIR_WAY = /\/(staged|\.staged|receiving|incarnations)\/|\.new$/;

/** Returns what expects that all files are there as they are now, and that no others have got their names. */
export function untouched(data: string): () => void {
  const before = contents(data);
  return () => {
    const after = contents(data);
    const changed = [...before].filter(([path, text]) => after.get(path) !== text).map(([path]) => path);
    const added = [...after.keys()].filter((path) => !before.has(path) && !ON_THEIR_WAY.test(path));
    expect({ changed, added }).toEqual({ changed: [], added: [] });
  };
}

function contents(data: string): Map<string, string> {
  // The ledger lies beside the folders.
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.parentPath !== data);
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, readFileSync(path, 'latin1')]));
}
