// Digests to a webhook: JSON with a text for chats, signed as Standard Webhooks does where there is a secret.
import { createHmac } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import type { Digest } from './digest.ts';
import type { WebhookSettings } from './settings.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const PREFIX = 'whsec_';

/** Resolves when the receiver has answered with 2xx. A redirect is not followed. Throws what came instead. */
export async function postDigest(
  outbound: Pick<Outbound, 'request'>,
  { url, secret }: WebhookSettings,
  digest: Digest,
  at: number,
): Promise<void> {
  const body = JSON.stringify({ text: `${digest.subject}\n\n${digest.text}`, ...digest.facts });
  const headers = { 'content-type': 'application/json', 'webhook-id': digest.id, 'webhook-timestamp': String(Math.floor(at / 1_000)) };
  const signature = secret && { 'webhook-signature': `v1,${signed(secret.trim(), [digest.id, headers['webhook-timestamp'], body])}` };
  const { status } = await outbound.request({
    method: 'POST',
    url,
    headers: { ...headers, ...signature },
    body,
    timeoutMs: TIMEOUT_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  if (status < 200 || status >= 300) throw new AppError('internal', `The webhook answered with ${status}.`);
}

function signed(secret: string, parts: readonly string[]): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret;
  return createHmac('sha256', key).update(parts.join('.')).digest('base64');
}
