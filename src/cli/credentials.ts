// What a login proves itself with: a password that was given or made up here, or public keys from a file.
import { readFileSync } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { base32 } from '#domain/id.ts';
import { openPasswords } from '#gateway/sftp/auth/password.ts';
import { publicKeysOf } from '#gateway/sftp/auth/public-keys.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command that makes or changes a login. */
export interface CredentialOptions {
  readonly passwordStdin?: boolean;
  readonly publicKey?: string;
}

export interface Credentials {
  readonly passwordHash: string | null;
  readonly publicKeys: readonly string[];
  /** A password that was made up here: it is shown once. */
  readonly generated: string | null;
}

export const NO_CREDENTIALS: Credentials = { passwordHash: null, publicKeys: [], generated: null };

/** What is told of a new account or partner: nobody can show it again. */
export function shownOnce(apiKey: string | null, login: string | undefined, generated: string | null): (string | false)[] {
  return [
    apiKey !== null && `API key, shown once: ${apiKey}`,
    login !== undefined && `SFTP login: ${login}`,
    generated !== null && `Its password, shown once: ${generated}`,
  ];
}

/** 120 bits. */
const PASSWORD_BYTES = 15;
const PASSWORD_LENGTH_MIN = 10;

/** Without a password and without keys a password is made up; beside keys only when `both` are needed. Throws `usage`. */
export async function readCredentials(
  { passwordStdin, publicKey }: CredentialOptions,
  terminal: Terminal,
  both = false,
): Promise<Credentials> {
  const publicKeys = publicKey === undefined ? [] : publicKeysIn(publicKey);
  if (passwordStdin) {
    const given = checkedPassword(await terminal.readSecret('password'));
    return { passwordHash: await hashOf(given), publicKeys, generated: null };
  }
  if (publicKeys.length > 0 && !both) return { passwordHash: null, publicKeys, generated: null };
  const { password, passwordHash } = await generatedPassword();
  return { passwordHash, publicKeys, generated: password };
}

/** A password that nobody has chosen, and its hash. */
export async function generatedPassword(): Promise<{ readonly password: string; readonly passwordHash: string }> {
  const password = base32(systemRandom(PASSWORD_BYTES)).toLowerCase();
  return { password, passwordHash: await hashOf(password) };
}

function hashOf(password: string): Promise<string> {
  return openPasswords(systemRandom).hash(password);
}

/** The public keys of a file in the form of authorized_keys, at least one. Throws `usage`. */
export function publicKeysIn(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('usage', `The public key ${file} cannot be read.`, { cause: error });
  }
  return publicKeysOf(text, file);
}

function checkedPassword(password: string): string {
  if (password.length < PASSWORD_LENGTH_MIN)
    throw new AppError('usage', `The password is too short: ${PASSWORD_LENGTH_MIN} characters at least.`);
  return password;
}
