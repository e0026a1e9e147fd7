// `dropgate init`: an annotated configuration to start from.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, messageOf } from '#domain/error.ts';
import { annotatedConfig } from '#runtime/config/text.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import type { AddCommand } from './commands.ts';

export const addInit: AddCommand = (commands) => {
  commands.command('init <folder>').action((folder: string) => {
    const file = join(resolve(folder), 'dropgate.yaml');
    if (existsSync(file)) throw new AppError('exists', `${file} is there already; remove it first, or choose another folder.`);
    write(file, annotatedConfig({ data: join(resolve(folder), 'data') }));
    commands.terminal.print(`Wrote ${file}. Next: dropgate serve --config ${file}`);
  });
};

function write(file: string, text: string): void {
  try {
    ensureFolder(dirname(file));
    writeFileSync(file, text, { flag: 'wx', mode: 0o640 });
  } catch (error) {
    throw new AppError(
      'usage',
      `${file} cannot be written (${messageOf(error)}): choose a folder that you may write to, or run this as root.`,
      {
        cause: error,
      },
    );
  }
}
