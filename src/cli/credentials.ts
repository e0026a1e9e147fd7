// What a login proves itself with, as options give it: a password on standard input, a file of public keys.
import { readFileSync } from 'node:fs';
import { AppError } from '#domain/error.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command that makes a login. */
export interface CredentialOptions {
  readonly passwordStdin?: boolean;
  readonly publicKey?: string;
}

/** As operations are given it; without both a password is made up. Throws `usage`. */
export async function proofsIn(
  { passwordStdin = false, publicKey }: CredentialOptions,
  terminal: Terminal,
): Promise<{ readonly password?: string; readonly publicKeys?: string }> {
  return {
    ...(publicKey !== undefined && { publicKeys: publicKeyFile(publicKey) }),
    ...(passwordStdin && { password: await terminal.readSecret('password') }),
  };
}

/** What is told of a new account, partner or login: nobody can show it again. */
export function shownOnce({
  apiKey,
  login,
  password,
}: {
  readonly apiKey?: string | null;
  readonly login?: string | null;
  readonly password?: string;
}): (string | false)[] {
  return [
    apiKey != null && `API key, shown once: ${apiKey}`,
    login != null && `SFTP login: ${login}`,
    password !== undefined && `Its password, shown once: ${password}`,
  ];
}

/** The text of the file. Throws `usage`. */
export function publicKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('usage', `The public key ${file} cannot be read.`, { cause: error });
  }
}
