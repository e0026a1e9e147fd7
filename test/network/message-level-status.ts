// A message level status (MLS 1.0) that is complete: real access points check it by its schema.
import { CAC, CBC } from '#ubl/tree.ts';
import { MLS } from '../support/network-answers.ts';

export interface MessageLevelStatus {
  readonly code: string;
  /** The instance identifier of the envelope that it is about. */
  readonly reference: string;
  readonly sender: string;
  readonly receiver: string;
}

export function statusDocument({ code, reference, sender, receiver }: MessageLevelStatus): Uint8Array {
  const [date = '', time = ''] = new Date().toISOString().split(/[T.]/);
  return new TextEncoder().encode(`<ApplicationResponse xmlns="urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}">
  <cbc:CustomizationID>${MLS}</cbc:CustomizationID>
  <cbc:ProfileID>urn:peppol:edec:mls</cbc:ProfileID>
  <cbc:ID>${crypto.randomUUID()}</cbc:ID>
  <cbc:IssueDate>${date}</cbc:IssueDate>
  <cbc:IssueTime>${time}+00:00</cbc:IssueTime>
  ${party('SenderParty', sender)}
  ${party('ReceiverParty', receiver)}
  <cac:DocumentResponse>
    <cac:Response><cbc:ResponseCode>${code}</cbc:ResponseCode></cac:Response>
    <cac:DocumentReference><cbc:ID>${reference}</cbc:ID></cac:DocumentReference>
  </cac:DocumentResponse>
</ApplicationResponse>`);
}

function party(role: string, participant: string): string {
  const [scheme = '', value = ''] = participant.split(':');
  return `<cac:${role}><cbc:EndpointID schemeID="${scheme}">${value}</cbc:EndpointID></cac:${role}>`;
}
