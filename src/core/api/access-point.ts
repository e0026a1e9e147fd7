// Where an access point posts what it receives: first to have it verified (as phoss-ap asks phorm), then to hand it over (its
// http_post_async). Only there when a token is set.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '#core/context.ts';
import { TOKEN_HEADER } from '#core/network/http-access-point.ts';
import { PhiveResult, phiveResultOf } from '#core/network/phive.ts';
import { receiveEnvelope } from '#core/network/receive.ts';
import { verifyEnvelope } from '#core/network/verify.ts';
import { AppError } from '#domain/error.ts';
import type { HttpServer } from '#runtime/http.ts';
import type { Gate } from './gate.ts';

const TAG = 'Access point';

const Received = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ reception: Type.Union([Type.Literal('taken'), Type.Literal('known')]) }),
});

export function addAccessPoint(server: HttpServer, context: Context, gate: Pick<Gate, 'tellAddress'>): void {
  const { peppol } = context.network;
  if (!peppol || peppol.token === null) return;
  const { token, verify } = peppol;
  const expected = digestOf(token);
  const schema = {
    tag: TAG,
    summary: 'Take an envelope (StandardBusinessDocument) that an access point has received',
    response: { 200: Received },
    errors: [400, 401, 422],
  };
  /** Before the body is read. A wrong token is charged to its address; the right one posts as much as it receives. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const given = request.headers[TOKEN_HEADER];
    if (!timingSafeEqual(digestOf(typeof given === 'string' ? given : ''), expected)) {
      throw new AppError('wrong-credentials', `The header ${TOKEN_HEADER} does not hold the token of the access point.`);
    }
    await gate.tellAddress(request, reply);
  }
  const route = { config: { access: 'access-point' }, onRequest: admit } as const;
  server.post('/access-point/incoming', { schema, ...route }, async (request, reply) => {
    return reply.send({ status: 'success', data: { reception: await receiveEnvelope(context, bodyOf(request)) } });
  });
  const verification = {
    tag: TAG,
    summary: 'Verify an envelope that an access point has received, before its sender is told that it was accepted',
    response: { 200: PhiveResult },
    errors: [400, 401],
  };
  server.post('/api/dd_and_validate/', { schema: verification, ...route }, async (request, reply) => {
    return reply.send(phiveResultOf(await verifyEnvelope(context, verify, bodyOf(request))));
  });
}

function bodyOf({ body }: FastifyRequest): Buffer {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new AppError('bad-request', 'The request has no body.');
  return body;
}

/** Of one length, so that they can be compared in one time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
