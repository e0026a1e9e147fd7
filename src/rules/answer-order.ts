// What a seller says to an order as a whole: the order response that belongs to the order's process, made of what the order says.
import { AppError } from '#domain/error.ts';
import { PROFILES } from '#domain/profiles.ts';
import { first, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { UblWriter } from '#ubl/writer.ts';

/** `query` says that the order has come, and asks: the seller has not decided. */
type OrderAnswer = 'accept' | 'reject' | 'query';

export interface AnswerOptions {
  readonly answer: OrderAnswer;
  /** The number of the response. */
  readonly id: string;
  /** The day on which it is given, `YYYY-MM-DD`. */
  readonly day: string;
  /** Why, or the question; '' when there is none. */
  readonly reason: string;
}

/** Codes of the Peppol BIS: accepted, rejected, and acknowledged only. */
const RESPONSE_CODES: Readonly<Record<OrderAnswer, string>> = { accept: 'AP', reject: 'RE', query: 'AB' };

/** The profile of the response, by the process that the order states. A process without a row has no responses. */
const RESPONSE_PROFILES: ReadonlyMap<string, string> = new Map([
  ['urn:fdc:peppol.eu:poacc:bis:ordering:3', 'order-response'],
  ['urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3', 'order-response-advanced'],
]);

/** The response in XML. Throws `invalid` when the document is no order, or one that cannot be answered. */
export function answerOrder(order: XmlElement, options: AnswerOptions): Uint8Array {
  if (order.tag !== 'Order') throw new AppError('invalid', `Only an order can be answered, and this is a document ${order.name}.`);
  const processId = trimmed(order, 'cbc:ProfileID');
  const customizationId = PROFILES.find(({ name }) => name === RESPONSE_PROFILES.get(processId))?.customizationId;
  if (customizationId === undefined) {
    throw new AppError('invalid', `The buyer awaits no response to this order: its process '${processId}' has none.`);
  }
  const response = new UblWriter('OrderResponse');
  response.value('CustomizationID', customizationId);
  response.value('ProfileID', processId);
  response.value('ID', options.id);
  response.value('IssueDate', options.day);
  response.value('OrderResponseCode', RESPONSE_CODES[options.answer]);
  response.value('Note', options.reason);
  response.value('DocumentCurrencyCode', trimmed(order, 'cbc:DocumentCurrencyCode'));
  response.value('CustomerReference', trimmed(order, 'cbc:CustomerReference'));
  response.group('OrderReference', () => response.value('ID', trimmed(order, 'cbc:ID')));
  for (const role of ['SellerSupplierParty', 'BuyerCustomerParty']) {
    response.group(role, () => response.group('Party', () => writeParty(response, order, `cac:${role}/cac:Party`)));
  }
  return response.end();
}

/** Its address, its number and its name: a response has room for no more. */
function writeParty(response: UblWriter, order: XmlElement, path: string): void {
  copy(response, 'EndpointID', first(order, `${path}/cbc:EndpointID`));
  const number = first(order, `${path}/cac:PartyIdentification/cbc:ID`);
  if (number) response.group('PartyIdentification', () => copy(response, 'ID', number));
  const name = trimmed(order, `${path}/cac:PartyLegalEntity/cbc:RegistrationName`) || trimmed(order, `${path}/cac:PartyName/cbc:Name`);
  if (name !== '') response.group('PartyLegalEntity', () => response.value('RegistrationName', name));
}

/** With its attributes, the scheme of an address above all. */
function copy(response: UblWriter, name: string, element: XmlElement | undefined): void {
  if (element) response.value(name, trimmed(element, '.'), Object.fromEntries(element.attributes));
}
