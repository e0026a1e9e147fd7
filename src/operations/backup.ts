// Operations that write all of an installation into one file, and put it back.

import { existsSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { KEY_BYTES_MIN, PASSPHRASE_CHARACTERS_MIN, type Secret } from '#installation/backup/cipher.ts';
import { makeBackup } from '#installation/backup/make.ts';
import { restoreBackup } from '#installation/backup/restore.ts';
import { prepareData } from '#installation/data-folder.ts';
import { masterKeyPath } from '#installation/master-key.ts';
import { systemClock } from '#runtime/clock.ts';
import { VERSION } from '#runtime/version.ts';
import { Count, Moment } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

/** What the backup is encrypted with: a passphrase, or the bytes of a key in Base64; without either it is not. */
const SEALED_WITH = { passphrase: Type.Optional(Type.String()), secretKey: Type.Optional(Type.String()) } as const;
const SealedWith = Type.Object(SEALED_WITH);

const PLACE = {
  /** An absolute path. */
  file: Type.String({ pattern: '^/' }),
  ...SEALED_WITH,
} as const;

export const backup = operation(
  Type.Object(PLACE),
  Type.Object({
    file: Type.String(),
    madeAt: Moment,
    files: Count,
    bytes: Count,
    /** Neither files nor folders, or not readable for this user. */
    leftOut: Type.Array(Type.String()),
    encrypted: Type.Boolean(),
    /** Without it the ledgers in the backup are of no use. */
    keyFile: Type.String(),
    holdsKey: Type.Boolean(),
  }),
  async ({ config, progress }: ClosedInstallation, { file, ...sealedWith }) => {
    const secret = secretOf(sealedWith);
    prepareData(config.data);
    if (existsSync(file)) throw new AppError('exists', `${file} is there already: name another file.`);
    const made = await makeBackup({ config, file, secret, version: VERSION, nowMs: systemClock.now(), progress });
    const keyFile = masterKeyPath(config);
    const holdsKey = keyFile === sealPath(config.data);
    return { file, ...made, leftOut: [...made.leftOut], encrypted: secret !== null, keyFile, holdsKey };
  },
);

export const restore = operation(
  Type.Object(PLACE),
  Type.Object({
    file: Type.String(),
    madeAt: Moment,
    version: Type.String(),
    role: Type.Enum(['all', 'gateway', 'core']),
    environment: Type.String(),
    files: Count,
    /** Where the key file is to be, and whether it is there. */
    keyFile: Type.String(),
    hasKey: Type.Boolean(),
  }),
  async ({ config, progress }: ClosedInstallation, { file, ...sealedWith }) => {
    if (!existsSync(file)) throw new AppError('missing', `There is no file ${file}.`);
    const { kind: _, ...restored } = await restoreBackup(config, file, secretOf(sealedWith), progress);
    const keyFile = masterKeyPath(config);
    return { file, ...restored, keyFile, hasKey: existsSync(keyFile) };
  },
);

/** Throws `usage`. */
function secretOf({ passphrase, secretKey }: Static<typeof SealedWith>): Secret {
  if (passphrase !== undefined && secretKey !== undefined) throw new AppError('usage', 'Name a passphrase or a key file, not both.');
  if (secretKey !== undefined) {
    const bytes = Buffer.from(secretKey, 'base64');
    if (bytes.length < KEY_BYTES_MIN) throw new AppError('usage', `The key file must hold ${KEY_BYTES_MIN} bytes at least.`);
    return { key: bytes };
  }
  if (passphrase === undefined) return null;
  if (passphrase.length < PASSPHRASE_CHARACTERS_MIN)
    throw new AppError('usage', `The passphrase must have ${PASSPHRASE_CHARACTERS_MIN} characters at least.`);
  return { passphrase };
}
