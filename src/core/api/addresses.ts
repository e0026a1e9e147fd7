// What may be asked about an address: whether a receiver can receive, and whether an account may send from it. The specification has no such endpoints: they
// are our own.
import Type from 'typebox';
import { ReceiverEnvelope, SenderEnvelope } from '#contract/addresses.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Receivers } from '#core/network/receivers.ts';
import { whyNotOwn } from '#core/transactions/ownership.ts';
import { AppError } from '#domain/error.ts';
import { participantOf } from '#domain/participant.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { AccountParams } from './query.ts';

export interface AddressParts {
  readonly receivers: Receivers;
  readonly ledger: Pick<Ledger, 'read'>;
}

const Address = Type.String({ description: 'Its address, `scheme:value`, for example `0208:0123456749`.' });

export function addAddresses(server: HttpServer, { receivers, ledger }: AddressParts): void {
  const receiving = {
    tag: 'Network',
    summary: 'Say whether a receiver can receive, what, and which address was probably meant where it cannot (not in the specification)',
    params: Type.Object({ ...AccountParams.properties, receiver: Address }),
    response: { 200: ReceiverEnvelope },
    errors: [400, 403],
  };
  server.get('/network/:accountRegNo/receivers/:receiver', { schema: receiving }, async ({ params }, reply) => {
    return reply.send({ status: 'success', data: await receivers(participantIn(params.receiver, 'receiver')) });
  });

  const sending = {
    tag: 'Network',
    summary: 'Say whether the account may send documents from an address, and why not (not in the specification)',
    params: Type.Object({ ...AccountParams.properties, sender: Address }),
    response: { 200: SenderEnvelope },
    errors: [400, 403],
  };
  server.get('/network/:accountRegNo/senders/:sender', { schema: sending }, async ({ params }, reply) => {
    const sender = participantIn(params.sender, 'sender');
    const reason = await whyNotOwn(ledger.read, params.accountRegNo, 'outgoing', sender);
    return reply.send({ status: 'success', data: { sender, maySend: reason === null, reason } });
  });
}

/** In its normal form. Throws `bad-request`. */
function participantIn(address: string, whose: string): string {
  const [, scheme, value] = /^([^:]*):(.*)$/s.exec(address) ?? [];
  const participant = participantOf(scheme, value);
  if (participant !== undefined) return participant;
  throw new AppError('bad-request', `This is no address of a ${whose}: write scheme:value with four digits before the colon.`);
}
