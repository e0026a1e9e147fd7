// The Authorization header: an API key or a token, and the refusals of both.
import { AppError } from '#domain/error.ts';
import { isApiKey } from './api-keys.ts';

export type Credentials = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'token'; readonly token: string };

/** Three parts in base64url; the last may be empty, and is refused for that later. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Reads `ApiKey KEY`, bare `KEY` or `Bearer JWT` (decisions A2). Throws `unauthenticated` when it is none of them. */
export function credentialsOf(header: string | undefined): Credentials {
  const [, scheme, value = ''] = /^(?:(\w+) +)?(\S+)$/.exec(header?.trim() ?? '') ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
    case 'apikey':
      if (isApiKey(value)) return { kind: 'key', key: value };
      break;
    case 'bearer':
      if (TOKEN.test(value)) return { kind: 'token', token: value };
  }
  throw unauthenticated();
}

export function unauthenticated(): AppError {
  const sentence = 'The request carries no usable credentials: send the header Authorization: ApiKey KEY, or Authorization: Bearer TOKEN.';
  return new AppError('unauthenticated', sentence);
}

/** One sentence for all that can be wrong with credentials, so that nobody learns which accounts there are. */
export function wrongCredentials(): AppError {
  return new AppError('wrong-credentials', 'The credentials are not valid for this account.');
}
