// How a public key is told in a line, as every SSH client shows it.
import { hash } from 'node:crypto';

/** `SHA256:…` of the key in the form of RFC 4253. */
export function fingerprint(publicKey: Buffer): string {
  return `SHA256:${hash('sha256', publicKey, 'base64').replace(/=+$/, '')}`;
}
