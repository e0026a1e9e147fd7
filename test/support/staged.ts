// What is on its way into a home: staged files with bytes. Empty ones are the stock, which nobody has needed yet.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the files that are staged in this data folder. */
export function stagedIn(data: string): string[] {
  const files = readdirSync(join(data, 'staged'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // It may be renamed while this looks.
  const isWritten = ({ parentPath, name }: Dirent): boolean => (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0) > 0;
  return files.filter(isWritten).map(({ name }) => name);
}
