// Requests that we send are signed as Standard Webhooks says: by a secret of `whsec_` and the key in base64.
import { createHmac } from 'node:crypto';
import { WEBHOOK_HEADER } from '#contract/webhooks.ts';
import type { Random } from '#domain/id.ts';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export function newSigningSecret(random: Random): string {
  return PREFIX + Buffer.from(random(KEY_BYTES)).toString('base64');
}

/** `v1,` and the HMAC-SHA256 of id, seconds and body; unsigned without a secret. */
export function signedHeaders(secret: string | null, id: string, atMs: number, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const unsigned = { [WEBHOOK_HEADER.id]: id, [WEBHOOK_HEADER.timestamp]: timestamp };
  if (!secret) return unsigned;
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...unsigned, [WEBHOOK_HEADER.signature]: `v1,${mac}` };
}

/** A secret without the prefix is the key itself: administrators choose those of alarms. */
function keyOf(secret: string): Buffer | string {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret;
}
