// The token endpoints, and the public keys that tokens are checked with.
import type { FastifyReply } from 'fastify';
import { ClientTokenRequest, KeySet, TokenRequest, TokenResponse } from '#contract/tokens.ts';
import { type AuthenticationParts, actingFor, authenticateKey, type Caller } from '#core/access/authenticate.ts';
import { unauthenticated } from '#core/access/credentials.ts';
import type { SigningKeys } from '#core/access/signing-keys.ts';
import { issueToken } from '#core/access/tokens.ts';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import type { AccessControl } from './access-control.ts';
import { AccountParams } from './query.ts';

const TAG = 'Token';

export interface IssueParts extends AuthenticationParts {
  readonly random: Random;
}

export function addTokens(server: HttpServer, parts: IssueParts, accessControl: AccessControl): void {
  const tokenFor = async (reply: FastifyReply, caller: Caller | null, asking: TokenRequest): Promise<TokenResponse> => {
    // RFC 6749 §5.1
    reply.header('cache-control', 'no-store');
    return issueFor(parts, caller, asking);
  };
  const described = { tag: TAG, params: AccountParams, response: { 200: TokenResponse } };

  const summary = 'Get a token for oneself, by API key';
  server.get('/token/:accountRegNo', { schema: { ...described, summary }, config: { access: 'key' } }, async (request, reply) => {
    return tokenFor(reply, request.caller, {});
  });

  const asked = {
    ...described,
    summary: 'Get a token for oneself or, as a partner, for a child; by API key',
    body: TokenRequest,
    errors: [422],
  };
  server.post('/token/:accountRegNo', { schema: asked, config: { access: 'key' } }, async (request, reply) => {
    return tokenFor(reply, request.caller, request.body);
  });

  const client = {
    tag: TAG,
    summary: 'The same, with number and API key in the body',
    body: ClientTokenRequest,
    response: { 200: TokenResponse },
    errors: [401, 422],
  };
  server.post('/token', { schema: client, config: { access: 'body', open: true } }, async (request, reply) => {
    const { client_id: regNo, client_secret: key, ...asking } = request.body;
    const caller = await accessControl.admitBy(request, reply, () => authenticateKey(parts, key, regNo));
    return tokenFor(reply, caller, asking);
  });
}

/** RFC 7517; where JWKs are looked for by convention. */
export function addKeySet(server: HttpServer, signingKeys: SigningKeys): void {
  const schema = { tag: TAG, summary: 'The public keys that tokens are signed with', response: { 200: KeySet } };
  server.get('/.well-known/jwks.json', { schema, config: { open: true } }, async (_request, reply) => {
    return reply.header('cache-control', 'public, max-age=300').send(await signingKeys.published());
  });
}

async function issueFor(parts: IssueParts, caller: Caller | null, { actingAs, forChildRegNo }: TokenRequest): Promise<TokenResponse> {
  if (!caller) throw unauthenticated();
  if (actingAs !== 'parent') return issueToken(parts, parts.random, caller);
  if (!forChildRegNo) throw new AppError('invalid', 'forChildRegNo is missing: it names the child that the token is for.');
  return issueToken(parts, parts.random, await actingFor(parts.ledger.read, caller, forChildRegNo));
}
