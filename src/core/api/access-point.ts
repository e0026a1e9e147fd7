// Takes the envelopes that an access point receives and posts: first to have them verified (as phoss-ap asks phorm), then to hand them over.
// Offered only when a token is set. How the access point reads our response to a hand-over is a setting on its side, so the address that it
// posts to says it:
//
//   /access-point/incoming            by the status alone (http_post_async): 200 is taken, any other is posted again
//   /access-point/incoming?mode=sync  also by the body of a 200 (http_post_sync): `retry: none` is never posted again
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NEVER_TAKEN } from '#core/network/access-point.ts';
import { TOKEN_HEADER } from '#core/network/http-access-point.ts';
import type { Network } from '#core/network/network.ts';
import { PhiveResult, phiveResultOf } from '#core/network/phive.ts';
import { type ReceiveParts, receiveEnvelope } from '#core/network/receive.ts';
import { type VerifyParts, verifyEnvelope } from '#core/network/verify.ts';
import { AppError } from '#domain/error.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import type { AccessControl } from './access-control.ts';

const TAG = 'Access point';
/** The access point's id of the envelope. */
const INSTANCE_HEADER = 'x-sbdh-instance-id';

const CountryCodeC4 = Type.String({ description: 'Country of the receiver, which the access point reports to the network.' });
const Taken = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ reception: Type.Union([Type.Literal('taken'), Type.Literal('known')]) }),
  countryCodeC4: CountryCodeC4,
});
/** Only in mode sync. */
const TurnedAway = Type.Object({ status: Type.Literal('error'), retry: Type.Literal('none'), errorMessage: Type.String() });
const Query = Type.Object({
  mode: Type.Optional(
    Type.Literal('sync', { description: 'Answer 200 with `retry: none` instead of 422 what will never be taken (http_post_sync).' }),
  ),
});

export type AccessPointParts = ReceiveParts & VerifyParts & { readonly network: Network };

export function addAccessPoint(server: HttpServer, parts: AccessPointParts, accessControl: Pick<AccessControl, 'showAddress'>): void {
  const { peppol } = parts.network;
  if (!peppol || peppol.token === null) return;
  // `country` stands in for receivers without an account: responses from other providers are for ours.
  const { token, country: ownCountry } = peppol;
  const expected = digestOf(token);
  const schema = {
    tag: TAG,
    summary: 'Take an envelope (StandardBusinessDocument) that an access point has received',
    querystring: Query,
    response: { 200: Type.Union([Taken, TurnedAway]) },
    errors: [400, 401, 422],
  };
  /** Before the body is read. A wrong token is charged to its address; the right one posts as much as it receives. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const given = request.headers[TOKEN_HEADER];
    if (!timingSafeEqual(digestOf(typeof given === 'string' ? given : ''), expected)) {
      throw new AppError('wrong-credentials', `The header ${TOKEN_HEADER} does not hold the token of the access point.`);
    }
    await accessControl.showAddress(request, reply);
  }
  const route = { config: { access: 'access-point' }, onRequest: admit } as const;
  server.post('/access-point/incoming', { schema, ...route }, async (request, reply) => {
    const body = bodyOf(request);
    try {
      const { reception, country } = await receiveEnvelope(parts, body);
      return await reply.send({ status: 'success', data: { reception }, countryCodeC4: country ?? ownCountry });
    } catch (error) {
      if (!(error instanceof AppError && NEVER_TAKEN.has(error.code))) throw error;
      const { message } = error;
      parts.log.error({ event: 'network.reception-refused', instanceId: request.headers[INSTANCE_HEADER], reason: message });
      if (request.query.mode !== 'sync') throw error;
      return reply.send({ status: 'error', retry: 'none', errorMessage: message });
    }
  });
  const verification = {
    tag: TAG,
    summary: 'Verify an envelope that an access point has received, before its sender is told that it was accepted',
    response: { 200: PhiveResult },
    errors: [400, 401],
  };
  server.post('/api/dd_and_validate/', { schema: verification, ...route }, async (request, reply) => {
    return reply.send(phiveResultOf(await verifyEnvelope(parts, peppol.verify, bodyOf(request))));
  });
}

function bodyOf({ body }: FastifyRequest): Buffer {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new AppError('bad-request', 'The request has no body.');
  return body;
}

/** Digests have one length, so that comparing them takes the same time for every token. */
function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
