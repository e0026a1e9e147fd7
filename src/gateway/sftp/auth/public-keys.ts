// Public keys as they are given to us: lines in the form of authorized_keys, checked before they are kept.
import ssh2 from 'ssh2';
import { AppError } from '#domain/error.ts';
import { unstorable } from '#domain/json.ts';

const KEYS_MAX = 64;
/** With its comment: more than an RSA key of 8,192 bits takes, and no more than a row of an index holds in PostgreSQL. */
const LINE_BYTES_MAX = 2_048;
/** In the forms of OpenSSH, OpenSSL and PuTTY. */
const PRIVATE = /^(?:-----BEGIN .*PRIVATE KEY-----|PuTTY-User-Key-File-)/m;

/** The keys of a text, each as `type base64 comment`; `source` is its name in sentences. Throws `usage` when one cannot be used, or none is there. */
export function publicKeysOf(text: string, source: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (isPrivateKey(text)) {
    throw new AppError('usage', `${source} is a private key, which must stay with its owner: give the .pub file.`);
  }
  if (lines.length === 0) throw new AppError('usage', `${source} holds no public key.`);
  if (lines.length > KEYS_MAX) throw new AppError('usage', `${source} holds more than ${KEYS_MAX} public keys.`);
  if (lines.some((line) => Buffer.byteLength(line) > LINE_BYTES_MAX)) {
    throw new AppError(
      'usage',
      `${source} holds a public key of more than ${LINE_BYTES_MAX} bytes: take a shorter one, or a shorter comment.`,
    );
  }
  for (const line of lines) checkPublicKey(line, source);
  return lines;
}

/** As people give one by mistake. */
export function isPrivateKey(text: string): boolean {
  return PRIVATE.test(text);
}

function checkPublicKey(line: string, source: string): void {
  if (unstorable(line) !== undefined || ssh2.utils.parseKey(line) instanceof Error) {
    throw new AppError(
      'usage',
      `${source} is no public key: it must be a line such as 'ssh-ed25519 AAAA… name', without options before it.`,
    );
  }
}

/** Whether two lines hold the same key, whatever their comments say. */
export function isSameKey(one: string, other: string): boolean {
  const [a, b] = [one, other].map((line) => line.trim().split(/\s+/, 2).join(' '));
  return a === b;
}
