// What a login proves itself with: a password that is given or made up here, or public keys; checked, and the password hashed.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { base32 } from '#domain/id.ts';
import { publicKeysOf } from '#gateway/sftp/auth/public-keys.ts';
import { openPasswords } from '#runtime/auth/password.ts';
import { systemRandom } from '#runtime/clock.ts';

/** As operations are given them; without both a password is made up. */
export const PROOFS = {
  password: Type.Optional(Type.String()),
  /** Lines in the form of authorized_keys. */
  publicKeys: Type.Optional(Type.String()),
} as const;

interface Proofs {
  readonly passwordHash: string | null;
  readonly publicKeys: readonly string[];
  /** In an answer: a password that was made up here is shown once. */
  readonly shown: { readonly password?: string };
}

/** 120 bits. */
const PASSWORD_BYTES = 15;
const PASSWORD_LENGTH_MIN = 10;

/** Beside keys a password is made up only when `both` are needed. Throws `usage`. */
export async function proofsOf(
  given: { readonly password?: string; readonly publicKeys?: string },
  { both = false }: { readonly both?: boolean } = {},
): Promise<Proofs> {
  const publicKeys = given.publicKeys === undefined ? [] : publicKeysIn(given.publicKeys);
  if (given.password !== undefined) return { passwordHash: await hashOf(checkedPassword(given.password)), publicKeys, shown: {} };
  if (publicKeys.length > 0 && !both) return { passwordHash: null, publicKeys, shown: {} };
  const { password, passwordHash } = await generatedPassword();
  return { passwordHash, publicKeys, shown: { password } };
}

/** A password that nobody has chosen, and its hash. */
export async function generatedPassword(): Promise<{ readonly password: string; readonly passwordHash: string }> {
  const password = base32(systemRandom(PASSWORD_BYTES)).toLowerCase();
  return { password, passwordHash: await hashOf(password) };
}

/** At least one. Throws `usage`. */
export function publicKeysIn(text: string): string[] {
  return publicKeysOf(text, 'What was given as a public key');
}

function hashOf(password: string): Promise<string> {
  return openPasswords(systemRandom).hash(password);
}

function checkedPassword(password: string): string {
  if (password.length < PASSWORD_LENGTH_MIN)
    throw new AppError('usage', `The password is too short: ${PASSWORD_LENGTH_MIN} characters at least.`);
  return password;
}
