// Secrets that deliveries are signed with, in the form of Standard Webhooks: `whsec_` and the key in base64.
import type { Random } from '#domain/id.ts';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export function newSigningSecret(random: Random): string {
  return PREFIX + Buffer.from(random(KEY_BYTES)).toString('base64');
}

export function keyOfSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
