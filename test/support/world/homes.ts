// What stands in the homes of a data folder, as an ERP sees it, and in the spool: the same for a gateway in this process and for a daemon.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Receipt } from '#domain/receipt.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { until } from '../until.ts';

export interface Homes {
  /** The path of a home, or of something in it. */
  home(home: string, ...below: string[]): string;
  /** Names of the files in a folder of a home. */
  files(home: string, folder: string): string[];
  read(home: string, folder: string, name: string): Buffer;
  /** The ERP takes everything out of a folder. */
  clear(home: string, folder: string): void;
  /** The receipt of a file and stage, as soon as it is there. */
  receipt(home: string, file: string, stage: string, withinMs?: number): Promise<Receipt>;
  /** Stages of the receipts of a file, or of all files, in the order of their names. */
  stages(home: string, file?: string): string[];
  /** Files in the spool that are not finished: of a home, or of all with uploads that were never closed. */
  spooled(home?: string): string[];
}

export function homesOf(data: string): Homes {
  const home: Homes['home'] = (name, ...below) => join(homeFolder(data, name), ...below);
  const files: Homes['files'] = (name, folder) => readdirSync(home(name, folder)).sort();
  const read: Homes['read'] = (name, folder, file) => readFileSync(home(name, folder, file));
  return {
    home,
    files,
    read,
    clear(name, folder) {
      for (const file of files(name, folder)) rmSync(home(name, folder, file));
    },
    receipt: (name, file, stage, withinMs) =>
      until(
        `receipt '${stage}' of ${file}`,
        () => {
          const found = files(name, 'receipts').find((each) => each.startsWith(`${file}.`) && each.endsWith(`.${stage}.json`));
          return found && JSON.parse(read(name, 'receipts', found).toString());
        },
        withinMs,
      ),
    stages: (name, file) =>
      files(name, 'receipts')
        .filter((each) => file === undefined || each.startsWith(`${file}.`))
        .map((each) => each.split('.').at(-2) ?? ''),
    spooled: (name = '') =>
      readdirSync(join(data, 'spool', name), { recursive: true, withFileTypes: true })
        // Names that begin with a dot are the gateway's own notes.
        .flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? entry.name : [])),
  };
}
