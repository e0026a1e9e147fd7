// `dropgate backup` and `dropgate restore`.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import type { Secret } from '#installation/backup/cipher.ts';
import { makeBackup } from '#installation/backup/make.ts';
import { restoreBackup } from '#installation/backup/restore.ts';
import { prepareData } from '#installation/data-folder.ts';
import { masterKeyPath } from '#installation/master-key.ts';
import { systemClock } from '#runtime/clock.ts';
import { lockFolder } from '#runtime/files/lock.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { AddCommand } from './commands.ts';
import { configOf, type JsonOptions } from './options.ts';

interface Options extends JsonOptions {
  readonly passphraseFile?: string;
  readonly keyFile?: string;
}

const PASSPHRASE_MIN = 12;
const KEY_BYTES_MIN = 32;
const NAMED_MAX = 20;

export const addBackup: AddCommand = (commands) => {
  const { terminal } = commands;
  sealed(
    commands.configured(
      'backup <file>',
      'write ledgers, keys, spool and homes into one file, also while the daemon runs, and read it again',
    ),
  )
    .option('--json', 'print one JSON object')
    .action(async (name: string, options: Options) => {
      const { config } = configOf(options);
      const [file, secret] = [resolve(name), secretOf(options)];
      prepareData(config.data);
      if (existsSync(file)) throw new AppError('exists', `${file} is there already: name another file.`);
      const made = await makeBackup({
        config,
        file,
        secret,
        version: manifest.version,
        nowMs: systemClock.now(),
        progress: terminal.progress,
      });
      const { leftOut } = made;
      for (const path of leftOut.slice(0, NAMED_MAX)) terminal.complain(`Left out: ${path}`);
      if (leftOut.length > NAMED_MAX) terminal.complain(`and ${leftOut.length - NAMED_MAX} more`);
      const hasKey = masterKeyPath(config) === sealPath(config.data);
      commands.tell(config, options, {
        done: `The backup ${file} was written and read again: ${counted(made.files, 'file', 'files')}, ${made.bytes} bytes.`,
        more: [
          !hasKey &&
            `The key file ${masterKeyPath(config)} is not in it: keep a copy of it elsewhere, for the ledgers are of no use without it.`,
          hasKey && !secret && 'It holds the keys, and is not encrypted: whoever has it can read every secret.',
        ],
        facts: { file, ...made, encrypted: secret !== null, holdsKey: hasKey },
      });
    });
};

export const addRestore: AddCommand = (commands) => {
  const { terminal } = commands;
  sealed(commands.configured('restore <file>', 'put a backup into an empty data folder, while no daemon runs')).action(
    async (name: string, options: Options) => {
      const { config } = configOf(options, 'file');
      const secret = secretOf(options);
      const file = resolve(name);
      if (!existsSync(file)) throw new AppError('missing', `There is no file ${file}.`);
      prepareData(config.data, 'restore');
      using _lock = lockFolder(config.data);
      const { madeAt, files, role } = await restoreBackup(config, file, secret, terminal.progress);
      const key = masterKeyPath(config);
      commands.tell(
        config,
        {},
        {
          done: `The backup of ${madeAt} was restored: ${counted(files, 'file', 'files')}.`,
          more: [
            !existsSync(key) && `Put the key file back to ${key} before the start: it was not in the backup.`,
            'Start the daemon: nothing that was open is sent before it was looked for at the service.',
            role === 'all' && `Then run: dropgate resubmit --since ${madeAt}`,
          ],
        },
      );
    },
  );
};

function sealed(command: Command): Command {
  return command
    .option('--passphrase-file <file>', `encrypt, or decrypt, with the passphrase in its first line, ${PASSPHRASE_MIN} characters at least`)
    .option('--key-file <file>', `the same with the bytes of a file, ${KEY_BYTES_MIN} at least`);
}

function secretOf({ passphraseFile, keyFile }: Options): Secret {
  if (passphraseFile !== undefined && keyFile !== undefined) throw new AppError('usage', 'Name --passphrase-file or --key-file, not both.');
  if (keyFile !== undefined) {
    const key = contentOf(keyFile);
    if (key.length < KEY_BYTES_MIN) throw new AppError('usage', `The key file ${keyFile} must hold ${KEY_BYTES_MIN} bytes at least.`);
    return { key };
  }
  if (passphraseFile === undefined) return null;
  const [passphrase = ''] = contentOf(passphraseFile).toString('utf8').split(/\r?\n/, 1);
  if (passphrase.length < PASSPHRASE_MIN)
    throw new AppError('usage', `The passphrase in ${passphraseFile} must have ${PASSPHRASE_MIN} characters at least.`);
  return { passphrase };
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new AppError('usage', `${file} cannot be read (${error instanceof Error ? error.message : 'unknown reason'}).`, { cause: error });
  }
}
