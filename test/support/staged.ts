// What is on its way into a home: staged files with bytes. Empty ones are the stock, which nobody has needed yet.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the files that are staged in this data folder. */
export function stagedIn(data: string): string[] {
  const folder = join(data, 'staged');
  // It may be renamed while this looks.
  return readdirSync(folder).filter((name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0);
}
