// Reads the Authorization header: an API key or a token, and the refusals of both.
import { AppError } from '#domain/error.ts';
import { isApiKey } from './api-keys.ts';

type Credentials = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'token'; readonly token: string };

/** Three parts in base64url; the last may be empty, and is refused for that later. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * Reads an API key, which stands behind `ApiKey`, by itself, or (as some clients send every credential) behind `Bearer`; or a token,
 * `Bearer JWT` (decisions A2). A key and a token cannot be mistaken for each other. Throws `unauthenticated` when it is none of them.
 */
export function credentialsOf(header: string | undefined): Credentials {
  const [, scheme, value = ''] = /^(?:(\w+) +)?(\S+)$/.exec(header?.trim() ?? '') ?? [];
  const given = scheme?.toLowerCase();
  if ((given === undefined || given === 'apikey' || given === 'bearer') && isApiKey(value)) return { kind: 'key', key: value };
  if (given === 'bearer' && TOKEN.test(value)) return { kind: 'token', token: value };
  throw unauthenticated();
}

export function unauthenticated(): AppError {
  const sentence = 'The request carries no usable credentials: send the header Authorization: ApiKey KEY, or Authorization: Bearer TOKEN.';
  return new AppError('unauthenticated', sentence);
}

/** One sentence for every fault of credentials, so that no caller learns which accounts exist. */
export function wrongCredentials(): AppError {
  return new AppError('wrong-credentials', 'The credentials are not valid for this account.');
}
