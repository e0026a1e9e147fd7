// Whether a receiver can receive, as data: for the service that looks it up, and the gateway that tells of it. An endpoint beside the specification.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';

/** For so long a yes, a no, and that the service does not have the question count from when they were found out, wherever they are kept. */
export const RECEIVER_KEPT_MS = 10 * 60_000;

export function receiverPath(accountRegNo: string, participant: string): string {
  return `/network/${encodeURIComponent(accountRegNo)}/receivers/${encodeURIComponent(participant)}`;
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

export const ReceiverEnvelope = Type.Object({ status: Type.Literal('success'), data: Receiver });

const envelopeCheck = Compile(ReceiverEnvelope);

/** What a service knows of a receiver; undefined when the body does not tell it. */
export function parseReceiver(body: Uint8Array): Receiver | undefined {
  const parsed = parsedJson(body);
  return envelopeCheck.Check(parsed) ? parsed.data : undefined;
}
