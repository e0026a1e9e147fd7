// `dropgate backup` and `dropgate restore`.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import { AppError, messageOf } from '#domain/error.ts';
import { KEY_BYTES_MIN, PASSPHRASE_CHARACTERS_MIN } from '#installation/backup/cipher.ts';
import type { AnswerOf, InputOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';
import type { ConfigOptions } from './options.ts';

interface Options extends ConfigOptions {
  readonly passphraseFile?: string;
  readonly keyFile?: string;
}

const NAMED_MAX = 20;
const START = 'Start the daemon: nothing that was open is sent before it was looked for at the service.';

/** What is to be done after a restore, by the role. */
const NEXT: Readonly<Record<AnswerOf<'restore'>['role'], (resubmit: string) => readonly string[]>> = {
  all: (resubmit) => [START, `Then run: ${resubmit}`],
  gateway: () => [START],
  core: (resubmit) => [
    'Start the daemon.',
    `Then run on each gateway that sends to it, or on one of those that are its nodes: ${resubmit}`,
  ],
};

export const addBackup: AddCommand = (commands) => {
  const { terminal } = commands;
  const command = commands.asks('backup <file>', 'backup', inputOf, (made, config) => {
    const { file, files, bytes, leftOut, encrypted, keyFile, holdsKey } = made;
    for (const path of leftOut.slice(0, NAMED_MAX)) terminal.complain(`Left out: ${path}`);
    if (leftOut.length > NAMED_MAX) terminal.complain(`and ${leftOut.length - NAMED_MAX} more`);
    commands.tell(
      config,
      {},
      {
        done: `The backup ${file} was written and read again: ${counted(files, 'file')}, ${bytes} bytes.`,
        more: [
          !holdsKey && `The key file ${keyFile} is not in it: keep a copy of it elsewhere, for the ledgers are of no use without it.`,
          holdsKey && !encrypted && 'It holds the keys, and is not encrypted: whoever has it can read every secret.',
        ],
      },
    );
  });
  sealed(command);
};

export const addRestore: AddCommand = (commands) => {
  const say = commands.outcome<AnswerOf<'restore'>>(({ madeAt, files, role, keyFile, hasKey }) => ({
    done: `The backup of ${madeAt} was restored: ${counted(files, 'file')}.`,
    more: [
      !hasKey && `Put the key file back to ${keyFile} before the start: it was not in the backup.`,
      ...NEXT[role](`dropgate resubmit --since ${madeAt}`),
    ],
  }));
  sealed(commands.asks('restore <file>', 'restore', inputOf, say, { needs: 'file' }));
};

function sealed(command: Command): Command {
  return command
    .option(
      '--passphrase-file <file>',
      `encrypt, or decrypt, with the passphrase in its first line, ${PASSPHRASE_CHARACTERS_MIN} characters at least`,
    )
    .option('--key-file <file>', `the same with the bytes of a file, ${KEY_BYTES_MIN} at least`);
}

function inputOf(name: string, { passphraseFile, keyFile }: Options): InputOf<'backup'> {
  return {
    file: resolve(name),
    ...(passphraseFile !== undefined && { passphrase: contentOf(passphraseFile).toString('utf8').split(/\r?\n/, 1)[0] ?? '' }),
    ...(keyFile !== undefined && { secretKey: contentOf(keyFile).toString('base64') }),
  };
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new AppError('usage', `${file} cannot be read (${messageOf(error)}).`, { cause: error });
  }
}
