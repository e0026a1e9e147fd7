// Says whether a receiver can receive. The specification has no such endpoint: it is our own.
import Type from 'typebox';
import { ReceiverEnvelope } from '#contract/receivers.ts';
import type { Receivers } from '#core/network/receivers.ts';
import { AppError } from '#domain/error.ts';
import { participantOf } from '#domain/participant.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { AccountParams } from './query.ts';

export interface ReceiverParts {
  readonly receivers: Receivers;
}

const Params = Type.Object({
  ...AccountParams.properties,
  receiver: Type.String({ description: 'Its address, `scheme:value`, for example `0208:0123456749`.' }),
});

export function addReceivers(server: HttpServer, { receivers }: ReceiverParts): void {
  const schema = {
    tag: 'Network',
    summary: 'Say whether a receiver can receive, what, and which address was probably meant where it cannot (not in the specification)',
    params: Params,
    response: { 200: ReceiverEnvelope },
    errors: [400, 403],
  };
  server.get('/network/:accountRegNo/receivers/:receiver', { schema }, async ({ params }, reply) => {
    const [, scheme, value] = /^([^:]*):(.*)$/s.exec(params.receiver) ?? [];
    const participant = participantOf(scheme, value);
    if (participant === undefined) {
      throw new AppError('bad-request', 'This is no address of a receiver: write scheme:value with four digits before the colon.');
    }
    return reply.send({ status: 'success', data: await receivers(participant) });
  });
}
