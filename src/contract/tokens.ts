// The token endpoints as data: what is asked for, and the token response.

import Type from 'typebox';
import { parsedJson } from '#domain/json.ts';

/** Seconds; a token is refused after that (specification, Limits). */
export const TOKEN_LIFETIME_S = 3_600;

export const TokenRequest = Type.Object({
  actingAs: Type.Optional(
    Type.Enum(['self', 'parent'], {
      description: '`self` (the default), or `parent`: a partner asks for a token to act for one of its children.',
    }),
  ),
  forChildRegNo: Type.Optional(Type.String({ maxLength: 64, description: 'The child account; required when actingAs is `parent`.' })),
});
export type TokenRequest = Type.Static<typeof TokenRequest>;

export const ClientTokenRequest = Type.Object({
  ...TokenRequest.properties,
  client_id: Type.Optional(Type.String({ maxLength: 64, description: 'The account registration number; of a partner its own number.' })),
  client_secret: Type.Optional(Type.String({ maxLength: 8_192, description: 'The API key.' })),
});

export const TokenResponse = Type.Object({
  access_token: Type.String({ description: 'A JWT, for `Authorization: Bearer`.' }),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Literal(TOKEN_LIFETIME_S, { description: 'Seconds.' }),
});
export type TokenResponse = Type.Static<typeof TokenResponse>;

export function tokenPath(regNo: string): string {
  return `/token/${encodeURIComponent(regNo)}`;
}

/** As long as a JWT of any service may be. */
const TOKEN_CHARACTERS_MAX = 32_768;

/** A token and its lifetime, as a client believes it; undefined when the body is no token response. */
export function parseToken(body: Uint8Array): { readonly token: string; readonly lifetimeMs: number } | undefined {
  const answer = parsedJson(body);
  if (typeof answer !== 'object' || answer === null || !('access_token' in answer)) return undefined;
  const { access_token: token } = answer;
  const seconds = 'expires_in' in answer ? answer.expires_in : TOKEN_LIFETIME_S;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > TOKEN_CHARACTERS_MAX) return undefined;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return { token, lifetimeMs: Math.min(seconds, TOKEN_LIFETIME_S) * 1_000 };
}

/** Public keys, as RFC 7517 §5 has them. */
export const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Type.String(),
      kid: Type.String(),
      alg: Type.Literal('EdDSA'),
      use: Type.Literal('sig'),
    }),
  ),
});
export type KeySet = Type.Static<typeof KeySet>;
