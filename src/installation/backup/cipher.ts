// The outermost layer of a backup: a line that says how it is sealed, and then its bytes: as they are, or in pieces of AES-256-GCM. Each piece has its
// number in the nonce, and the last one says so: pieces that are changed, moved or missing are noticed.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { AppError } from '#domain/error.ts';

/** What a backup is sealed with; null leaves it open. */
export type Secret = { readonly passphrase: string } | { readonly key: Buffer } | null;

export const PASSPHRASE_CHARACTERS_MIN = 12;
export const KEY_BYTES_MIN = 32;

const MAGIC = 'dropgate-backup 1';
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const PIECE_BYTES = 65_536;
const LINE_BYTES_MAX = 200;
/** OWASP's choice for passphrases: 128 MiB for each guess. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 } as const;

export async function* seal(source: AsyncIterable<Buffer>, secret: Secret): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const line = Buffer.from(`${MAGIC} ${wayOf(secret)}${secret ? ` ${salt.toString('base64')}` : ''}\n`);
  yield line;
  if (!secret) return yield* source;
  const key = keyOf(secret, salt);
  let number = 0;
  for await (const { bytes, isLast } of pieces(source, PIECE_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(line);
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Throws `unreadable` for what is no backup, was changed, or was sealed with something else; `usage` where a secret is missing. */
export async function* open(source: AsyncIterable<Buffer>, secret: Secret): AsyncGenerator<Buffer> {
  const { line, rest } = await firstLine(source);
  const [way = '', salt = ''] = line.slice(MAGIC.length + 1).split(' ');
  if (!line.startsWith(`${MAGIC} `)) throw new AppError('unreadable', 'This is no backup of Dropgate, or one of a later version.');
  if (way !== wayOf(secret)) throw new AppError('usage', NEEDED[way] ?? 'The backup was sealed in a way that is not known here.');
  if (!secret) return yield* rest;
  const key = keyOf(secret, Buffer.from(salt, 'base64'));
  let number = 0;
  for await (const { bytes, isLast } of pieces(rest, PIECE_BYTES + TAG_BYTES)) {
    const at = bytes.length - TAG_BYTES;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(Buffer.from(`${line}\n`));
      decipher.setAuthTag(bytes.subarray(at));
      yield Buffer.concat([decipher.update(bytes.subarray(0, at)), decipher.final()]);
    } catch (error) {
      throw new AppError('unreadable', 'The backup was sealed with another passphrase or key, or it was changed or cut off.', {
        cause: error,
      });
    }
  }
}

const NEEDED: Readonly<Record<string, string>> = {
  open: 'The backup is not encrypted: leave --passphrase-file and --key-file out.',
  scrypt: 'The backup is encrypted with a passphrase: name the file that holds it by --passphrase-file.',
  key: 'The backup is encrypted with a key file: name it by --key-file.',
};

function wayOf(secret: Secret): string {
  if (!secret) return 'open';
  return 'key' in secret ? 'key' : 'scrypt';
}

function keyOf(secret: NonNullable<Secret>, salt: Buffer): Buffer {
  return 'key' in secret
    ? Buffer.from(hkdfSync('sha256', secret.key, salt, MAGIC, KEY_BYTES))
    : scryptSync(secret.passphrase.normalize('NFC'), salt, KEY_BYTES, SCRYPT);
}

/** No key seals two backups: its salt is drawn anew, so counting is enough. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(Number(isLast), 0);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}

/** Pieces of this length; the last one may be shorter, and there is one at least. */
async function* pieces(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let left = Buffer.alloc(0);
  for await (const some of source) {
    left = Buffer.concat([left, some]);
    for (; left.length > length; left = left.subarray(length)) yield { bytes: left.subarray(0, length), isLast: false };
  }
  yield { bytes: left, isLast: true };
}

async function firstLine(source: AsyncIterable<Buffer>): Promise<{ line: string; rest: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let seen = Buffer.alloc(0);
  while (!seen.includes(0x0a) && seen.length < LINE_BYTES_MAX) {
    const next = await iterator.next();
    if (next.done) break;
    seen = Buffer.concat([seen, next.value]);
  }
  const end = seen.indexOf(0x0a);
  async function* rest(): AsyncGenerator<Buffer> {
    yield seen.subarray(end + 1);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { line: end < 0 ? '' : seen.toString('latin1', 0, end), rest: rest() };
}
