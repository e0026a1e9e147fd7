// Hashes of passwords that cost next to nothing, for logins of tests: thousands of them log in. What a hash of ours costs, the tests of passwords see.
import { argon2Sync, randomBytes } from 'node:crypto';

const LEAST = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 } as const;

/** In PHC form. */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { ...LEAST, message: password, nonce });
  const [salt, text] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${LEAST.memory},t=${LEAST.passes},p=${LEAST.parallelism}$${salt}$${text}`;
}
