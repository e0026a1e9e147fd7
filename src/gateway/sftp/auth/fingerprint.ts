// How a public key is told in a line, as every SSH client shows it.
import { createHash } from 'node:crypto';

/** `SHA256:…` of the key in the form of RFC 4253. */
export function fingerprint(publicKey: Buffer): string {
  return `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`;
}
