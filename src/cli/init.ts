// `dropgate init`: an annotated configuration to start from.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '#domain/error.ts';
import { annotatedConfig } from '#runtime/config-text.ts';
import { ensureFolder } from '#runtime/files.ts';
import type { AddCommand } from './command.ts';

export const addInit: AddCommand = (parent, terminal) => {
  parent
    .command('init <folder>')
    .description('write an annotated configuration into a folder; its data folder will be below it')
    .action((folder: string) => {
      const file = join(resolve(folder), 'dropgate.yaml');
      if (existsSync(file)) throw new AppError('exists', `${file} is there already; remove it first, or choose another folder.`);
      ensureFolder(resolve(folder));
      writeFileSync(file, annotatedConfig({ data: join(resolve(folder), 'data') }), { flag: 'wx', mode: 0o640 });
      terminal.print(`Wrote ${file}. Next: dropgate serve --config ${file}`);
    });
};
