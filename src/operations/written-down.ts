// What a person has ordered is a line of the audit trail before it is answered.
import { hash } from 'node:crypto';
import { toAppError } from '#domain/error.ts';
import { isPrivateKey } from '#gateway/sftp/auth/public-keys.ts';
import { type Act, writeDown } from '#runtime/audit/trail.ts';
import { systemClock } from '#runtime/clock.ts';
import { isSecret } from '#runtime/log.ts';
import type { Seal } from '#runtime/seal.ts';

interface TrailParts {
  readonly data: string;
  /** Asked for when the work is done; null where there is no key to chain lines by. */
  readonly seal: () => Pick<Seal, 'derive'> | null | Promise<Seal | null>;
}

/** What an act has changed, as it was before and is now. */
type Changes = Pick<Act, 'before' | 'after'>;

const DIGEST_CHARACTERS = 12;

/**
 * Does the work and writes it down, durably, before it is answered; also what failed, for it may have changed something. Throws what the work throws, and
 * what the disk throws: then it was done, and is not written down.
 */
export async function writtenDown<Result>(
  { data, seal }: TrailParts,
  { given, ...act }: Pick<Act, 'who' | 'what' | 'given'>,
  work: () => Promise<Result>,
  changes: () => Promise<Changes> = async () => ({}),
): Promise<Result> {
  const note = async (failed?: string): Promise<void> => {
    const key = await seal();
    const line = { ...act, given: withoutSecrets(given, () => SECRET), ...(await changes()), ...(failed !== undefined && { failed }) };
    if (key) await writeDown(data, key, line, systemClock.now());
  };
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await note(toAppError(error).message);
    throw error;
  }
  await note();
  return result;
}

/** `secret` stands for each; by default it tells whether it is another one than before, of what nobody can guess. */
export function withoutSecrets(value: unknown, secret: (value: unknown) => string = digestOf): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, secret));
  if (typeof value === 'string' && isPrivateKey(value)) return SECRET;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSecret(name) && each !== null ? secret(each) : withoutSecrets(each, secret)]),
  );
}

/** Of what is given: a password that somebody has chosen could be guessed by its digest. */
export const SECRET = 'secret';

function digestOf(secret: unknown): string {
  return `${SECRET} ${hash('sha256', String(secret)).slice(0, DIGEST_CHARACTERS)}`;
}
