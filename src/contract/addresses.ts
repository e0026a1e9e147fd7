// What may be asked about an address, as data: whether a receiver can receive, and whether an account may send from it. For the service that answers, and
// the gateway that tells of it. Endpoints beside the specification.

import Type from 'typebox';
import { parserOf, success } from './success.ts';

/** For so long a yes, a no, and that the service does not have the question count from when they were found out, wherever they are kept. */
export const RECEIVER_KEPT_MS = 10 * 60_000;

/** As what the address is asked about. */
export type AddressRole = 'receiver' | 'sender';

export function addressPath(accountRegNo: string, role: AddressRole, participant: string): string {
  return `/network/${encodeURIComponent(accountRegNo)}/${role}s/${encodeURIComponent(participant)}`;
}

const Taken = Type.Object({
  family: Type.String({ maxLength: 100 }),
  profiles: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 100,
    description: 'By the names that findings and settings have for them.',
  }),
});

const Receiver = Type.Object({
  receiver: Type.String({ maxLength: 200, description: 'The address as it counts, in lower case.' }),
  canReceive: Type.Enum(['yes', 'no', 'unknown'], {
    description: '`unknown`: DNS or the SMP of the receiver cannot be asked now. `no` is certain.',
  }),
  reason: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], { description: 'Why not, or why it is not known.' }),
  takes: Type.Array(Taken, { maxItems: 100, description: 'Families, with the profiles that are exchanged here; empty unless `yes`.' }),
  meant: Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
    description: 'With `no`: another address of the same company that can receive, where there is one.',
  }),
  ageMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'So long ago the network was asked, in milliseconds: a yes and a no are kept for ten minutes.',
    }),
  ),
});
export type Receiver = Type.Static<typeof Receiver>;

export const ReceiverEnvelope = success(Receiver);
export const parseReceiver = parserOf(ReceiverEnvelope);

const Sender = Type.Object({
  sender: Type.String({ maxLength: 200, description: 'The address as it counts, in lower case.' }),
  maySend: Type.Boolean({ description: 'Whether it is an address of the account.' }),
  reason: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
    description: 'Why not, in the words with which a document from it would be refused.',
  }),
});
export type Sender = Type.Static<typeof Sender>;

export const SenderEnvelope = success(Sender);
export const parseSender = parserOf(SenderEnvelope);
