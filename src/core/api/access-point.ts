// Where an access point posts what it receives: the envelope as it is (phoss-ap's http_post_async). Only there when a token is set.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '#core/context.ts';
import { TOKEN_HEADER } from '#core/network/http-access-point.ts';
import { receiveEnvelope } from '#core/network/receive.ts';
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
  const token = peppol?.token ?? null;
  if (token === null) return;
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
  server.post('/access-point/incoming', { schema, config: { access: 'access-point' }, onRequest: admit }, async (request, reply) => {
    if (!Buffer.isBuffer(request.body) || request.body.length === 0) throw new AppError('bad-request', 'The request has no body.');
    return reply.send({ status: 'success', data: { reception: await receiveEnvelope(context, request.body) } });
  });
}

/** Of one length, so that they can be compared in one time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
