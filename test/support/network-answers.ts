// Answers to messages that come from the network (UBL ApplicationResponse), and the envelopes that documents come in.
import { writeEnvelope } from '#core/network/envelope.ts';
import { CAC, CBC } from '#ubl/tree.ts';

export const MLS = 'urn:peppol:edec:mls:1.0';
export const MLR = 'urn:fdc:peppol.eu:poacc:trns:mlr:3';
export const INVOICE_RESPONSE = 'urn:fdc:peppol.eu:poacc:trns:invoice_response:3';

export interface NetworkAnswer {
  readonly customization: string;
  readonly code: string;
  /** An envelope or a document, by the kind. */
  readonly reference: string;
  readonly reason?: string;
  /** Places, and what is said about them. */
  readonly lines?: readonly (readonly [place: string, sentence: string])[];
}

export function answerDocument({ customization, code, reference, reason, lines = [] }: NetworkAnswer): Uint8Array {
  return new TextEncoder().encode(`<ApplicationResponse xmlns="urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}">
  <cbc:CustomizationID>${customization}</cbc:CustomizationID><cbc:ID>R1</cbc:ID>
  <cac:DocumentResponse><cac:Response><cbc:ResponseCode>${code}</cbc:ResponseCode>${reason ? `<cbc:Description>${reason}</cbc:Description>` : ''}</cac:Response>
  <cac:DocumentReference><cbc:ID>${reference}</cbc:ID></cac:DocumentReference>${lines.map(lineResponse).join('')}</cac:DocumentResponse></ApplicationResponse>`);
}

function lineResponse([place, sentence]: readonly [string, string]): string {
  return `<cac:LineResponse><cac:LineReference><cbc:LineID>${place}</cbc:LineID></cac:LineReference><cac:Response>
  <cbc:Description>${sentence}</cbc:Description><cac:Status><cbc:StatusReasonCode>BV</cbc:StatusReasonCode></cac:Status></cac:Response></cac:LineResponse>`;
}

export interface Between {
  readonly instanceId: string;
  readonly sender: string;
  readonly receiver: string;
}

export function envelopeOf(document: Uint8Array, between: Between): Uint8Array {
  return writeEnvelope(
    {
      ...between,
      documentType: { scheme: 'busdox-docid-qns', value: 'urn:x::X##c::2.1' },
      process: { scheme: 'cenbii-procid-ubl', value: 'p' },
      country: 'SE',
      createdAtMs: 0,
    },
    document,
  );
}
