// Listings of folders that are older than what they list, as over NFS, where they may be a minute old. What is looked for by its name is found.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** In this process, until it is disposed: listings lack what has such a name. */
export function listLate(isLate: (name: string) => boolean): Disposable {
  const { readdirSync } = fs;
  const late = (...given: unknown[]): unknown[] => {
    const listed: readonly unknown[] = Reflect.apply(readdirSync, fs, given);
    return listed.filter((entry) => !isLate(entry instanceof fs.Dirent ? entry.name : String(entry)));
  };
  const put = (list: unknown): void => {
    Reflect.set(fs, 'readdirSync', list);
    syncBuiltinESMExports();
  };
  put(late);
  return { [Symbol.dispose]: () => put(readdirSync) };
}
