// Digests to a webhook: JSON with a text for chats, signed as Standard Webhooks does where there is a secret.
import { AppError } from '#domain/error.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import { signedHeaders } from '#runtime/outbound/signature.ts';
import type { Digest } from './digest.ts';
import type { WebhookSettings } from './settings.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 16 * 1024;

/** Resolves when the receiver has answered with 2xx. A redirect is not followed. Throws what came instead. */
export async function postDigest(
  outbound: Pick<Outbound, 'request'>,
  { url, secret }: WebhookSettings,
  digest: Digest,
  at: number,
): Promise<void> {
  const body = JSON.stringify({ text: `${digest.subject}\n\n${digest.text}`, ...digest.facts });
  const { status } = await outbound.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...signedHeaders(secret?.trim() ?? null, digest.id, at, body) },
    body,
    timeoutMs: TIMEOUT_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  if (status < 200 || status >= 300) throw new AppError('internal', `The webhook answered with ${status}.`);
}
