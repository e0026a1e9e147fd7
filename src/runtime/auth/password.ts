// Passwords of logins and operators: argon2id in PHC form, a few hashes at a time, and the same work whether a login exists or not.
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '#domain/id.ts';
import { Semaphore } from '#runtime/concurrency.ts';

const argon2Async = promisify(argon2);

/** As RFC 9106 and OWASP advise. */
const COST = { memoryKiB: 19_456, passes: 2, lanes: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const HASHES_AT_ONCE_MAX = 4;
/** A hash from elsewhere may cost more than ours, but not everything. */
const LIMITS = { memoryKiBMax: 262_144, passesMax: 16, lanesMax: 16, tagBytesMax: 64 } as const;

interface Hash {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

export interface Passwords {
  /** The hash to keep, in PHC form. */
  hash(password: string): Promise<string>;
  /** Whether `password` belongs to `hash`. Without a usable hash it takes the same time, and the answer is no. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export function openPasswords(random: Random): Passwords {
  const hashes = new Semaphore(HASHES_AT_ONCE_MAX);
  const nobody: Hash = { ...COST, salt: random(SALT_BYTES), tag: random(TAG_BYTES) };
  return {
    async hash(password) {
      const salted = { ...COST, salt: random(SALT_BYTES) };
      return toPhc({ ...salted, tag: await hashes.run(() => derive(password, salted, TAG_BYTES)) });
    },
    async verify(password, hash) {
      const known = hash === null ? null : fromPhc(hash);
      const expected = known ?? nobody;
      const tag = await hashes.run(() => derive(password, expected, expected.tag.length));
      return timingSafeEqual(tag, expected.tag) && known !== null;
    },
  };
}

function derive(password: string, { memoryKiB, passes, lanes, salt }: Omit<Hash, 'tag'>, tagLength: number): Promise<Uint8Array> {
  return argon2Async('argon2id', { message: password, nonce: salt, parallelism: lanes, tagLength, memory: memoryKiB, passes });
}

function toPhc(hash: Hash): string {
  return `$argon2id$v=19$m=${hash.memoryKiB},t=${hash.passes},p=${hash.lanes}$${toBase64(hash.salt)}$${toBase64(hash.tag)}`;
}

function fromPhc(text: string): Hash | null {
  const match = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/.exec(text);
  if (!match) return null;
  const [, memory, passes, lanes, salt, tag] = match;
  const hash: Hash = {
    memoryKiB: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt ?? '', 'base64'),
    tag: Buffer.from(tag ?? '', 'base64'),
  };
  return isBearable(hash) ? hash : null;
}

function isBearable({ memoryKiB, passes, lanes, tag }: Hash): boolean {
  return (
    memoryKiB >= 8 * lanes &&
    memoryKiB <= LIMITS.memoryKiBMax &&
    passes >= 1 &&
    passes <= LIMITS.passesMax &&
    lanes >= 1 &&
    lanes <= LIMITS.lanesMax &&
    tag.length <= LIMITS.tagBytesMax
  );
}

/** PHC strings carry base 64 without padding. */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
