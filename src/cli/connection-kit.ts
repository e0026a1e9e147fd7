// `dropgate connection-kit`: a folder for the people at the other end: host keys, ready scripts, the contract of the folders.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, messageOf } from '#domain/error.ts';
import type { AnswerOf } from '#operations/table.ts';
import { count } from '#runtime/config/kinds.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import type { AddCommand } from './commands.ts';

interface KitOptions {
  readonly host?: string;
  readonly port?: string;
  readonly out?: string;
}

type KitFile = AnswerOf<'connection-kit'>['files'][number];

export const addConnectionKit: AddCommand = (commands) => {
  commands
    .asks(
      'connection-kit <login>',
      'connection-kit',
      (login: string, { host, port, ...options }: KitOptions) => {
        newFolder(login, options);
        return { login, ...(host !== undefined && { host }), ...(port !== undefined && { port: portOf(port) }) };
      },
      ({ files }, _config, login, options) => {
        const folder = newFolder(login, options);
        for (const file of files) write(folder, file);
        commands.terminal.print(
          `Wrote ${folder}, which holds no secret: give it to those who connect as ${login}. Its README.txt tells how.`,
        );
      },
    )
    .option('--host <name>', 'name or address by which clients reach this server; without it the one that it listens on')
    .option(
      '--port <number>',
      'port by which they reach it: of another listener, or of what is in front; without it that of the first listener',
    )
    .option('--out <folder>', 'where to write it; without it LOGIN-kit in this folder');
};

/** Throws `exists`. */
function newFolder(login: string, { out }: KitOptions): string {
  const folder = resolve(out ?? `${login}-kit`);
  if (existsSync(folder)) throw new AppError('exists', `${folder} is there already; remove it first, or name another one with --out.`);
  return folder;
}

function portOf(text: string): number {
  const reading = count(1, 65_535).read(/^\d+$/.test(text) ? Number(text) : text);
  if ('problem' in reading) throw new AppError('usage', `--port ${reading.problem}.`);
  return reading.value;
}

function write(folder: string, { path, text, isProgram }: KitFile): void {
  const file = join(folder, path);
  try {
    ensureFolder(dirname(file));
    writeFileSync(file, text, { flag: 'wx' });
    chmodSync(file, isProgram ? 0o755 : 0o644);
  } catch (error) {
    throw new AppError('usage', `${file} cannot be written (${messageOf(error)}): name a folder that you may write to with --out.`, {
      cause: error,
    });
  }
}
