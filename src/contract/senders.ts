// Whether an account may send from an address, as data: for the service that knows it, and the gateway that tells of it. An endpoint beside the specification.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';

export function senderPath(accountRegNo: string, participant: string): string {
  return `/network/${encodeURIComponent(accountRegNo)}/senders/${encodeURIComponent(participant)}`;
}

const Sender = Type.Object({
  sender: Type.String({ maxLength: 200, description: 'The address as it counts, in lower case.' }),
  maySend: Type.Boolean({ description: 'Whether it is an address of the account.' }),
  reason: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
    description: 'Why not, in the words with which a document from it would be refused.',
  }),
});
export type Sender = Type.Static<typeof Sender>;

export const SenderEnvelope = Type.Object({ status: Type.Literal('success'), data: Sender });

const envelopeCheck = Compile(SenderEnvelope);

/** What a service knows of a sender; undefined when the body does not tell it. */
export function parseSender(body: Uint8Array): Sender | undefined {
  const parsed = parsedJson(body);
  return envelopeCheck.Check(parsed) ? parsed.data : undefined;
}
