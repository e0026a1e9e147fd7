// A receipt as a document of UBL: an ApplicationResponse, by the Peppol profile of message level responses (T71).
import type { Receipt, Stage } from '#domain/receipt.ts';
import { visibleLines } from '#domain/visible.ts';
import { EAS } from '#rules/codes/identifier-schemes.ts';
import { UblWriter } from '#ubl/writer.ts';
import { changeText, type PlacedFinding, type PlacedReceipt, withFollows } from './receipt-fields.ts';

const CUSTOMIZATION = 'urn:fdc:peppol.eu:poacc:trns:mlr:3';
const PROFILE = 'urn:fdc:peppol.eu:poacc:bis:mlr:3';

/** Accepted, acknowledged, rejected (UNTDID 4343). */
const CODES: Readonly<Record<Stage, 'AP' | 'AB' | 'RE'>> = {
  accepted: 'AP',
  duplicate: 'AP',
  sent: 'AP',
  delivered: 'AP',
  waiting: 'AB',
  delayed: 'AB',
  held: 'AB',
  refused: 'RE',
  rejected: 'RE',
  failed: 'RE',
  cancelled: 'RE',
  'turned-away': 'RE',
  // Where it would be accepted.
  tested: 'AP',
};

/** Where a line is about no place. */
const NO_PLACE = 'NA';
/** What XML does not have, beside control characters. */
const NOT_XML = /[\ufffe\uffff]|\p{Surrogate}/gu;

/** An address of the document. */
interface Party {
  readonly schemeID: string;
  readonly value: string;
}

/** A place of the document, and what is said about it. */
interface Line {
  readonly place: string | undefined;
  readonly text: string;
  readonly isFatal: boolean;
}

/** The addresses are those of the document, turned round. The profile wants both, of schemes that it has: without them it is a response of none. */
export function responseOf(receipt: PlacedReceipt & Pick<Receipt, 'code'>): string {
  const { stage, at } = receipt;
  // All that it knows of the code is whether there is one.
  const wouldBeRefused = stage === 'tested' && receipt.code !== null;
  const [from, to] = [partyOf(receipt.receiver), partyOf(receipt.sender)];
  const response = new UblWriter('ApplicationResponse');
  if ([from, to].every((party) => party && EAS.values.has(party.schemeID))) {
    response.value('CustomizationID', CUSTOMIZATION);
    response.value('ProfileID', PROFILE);
  }
  response.value('ID', `${receipt.sha256 || at}.${stage}`);
  response.value('IssueDate', at.slice(0, 10));
  response.value('IssueTime', `${at.slice(11, 19)}Z`);
  writeParty(response, 'SenderParty', from);
  writeParty(response, 'ReceiverParty', to);
  response.group('DocumentResponse', () => {
    response.group('Response', () => {
      response.value('ResponseCode', wouldBeRefused ? 'RE' : CODES[stage]);
      response.value('Description', textIn(receipt.message));
    });
    response.group('DocumentReference', () => response.value('ID', textIn(receipt.documentId ?? receipt.file)));
    for (const line of [...withFollows(receipt.findings).flatMap(found), ...told(receipt)]) writeLine(response, line);
  });
  return Buffer.from(response.end()).toString();
}

function partyOf(participant: string | null): Party | undefined {
  const [, schemeID, value] = /^(\d{4}):(.+)$/s.exec(participant ?? '') ?? [];
  return schemeID && value ? { schemeID, value } : undefined;
}

function writeParty(response: UblWriter, role: string, party: Party | undefined): void {
  response.group(role, () => {
    if (party) response.value('EndpointID', textIn(party.value), { schemeID: party.schemeID });
    else response.group('PartyName', () => response.value('Name', 'unknown'));
  });
}

/** A line for each place of the mistake. */
function found({ rule, rules = [], severity, message, path, pointer, places = [] }: PlacedFinding): readonly Line[] {
  const text = `${[rule, ...rules].join(', ')}: ${message}`;
  return [{ path, pointer }, ...places].map((at) => ({ place: at.path ?? at.pointer, text, isFatal: severity === 'fatal' }));
}

/** What others have said, and what is suggested. */
function told({ error, answer, suggested }: Pick<PlacedReceipt, 'error' | 'answer' | 'suggested'>): readonly Line[] {
  const about = (text: string, place?: string): Line => ({ place, text, isFatal: false });
  return [
    ...(error ? [about(`Error ${error.status} ${error.type}: ${error.data}`)] : []),
    ...(answer ? [about(`Answer ${answer.kind} ${answer.code} of ${answer.at}: ${answer.text ?? 'without words'}`)] : []),
    ...(suggested ? [about(`Suggested: ${suggested.file}`)] : []),
    ...(suggested?.changes ?? []).map((change) => about(`Suggested: ${changeText(change)}`, change.path)),
  ];
}

function writeLine(response: UblWriter, { place, text, isFatal }: Line): void {
  response.group('LineResponse', () => {
    response.group('LineReference', () => response.value('LineID', textIn(place ?? NO_PLACE)));
    response.group('Response', () => {
      response.value('ResponseCode', isFatal ? 'RE' : 'AP');
      response.value('Description', textIn(text));
      response.group('Status', () => response.value('StatusReasonCode', isFatal ? 'BV' : 'BW'));
    });
  });
}

function textIn(text: string): string {
  return visibleLines(text).replaceAll(NOT_XML, '\u{fffd}').trim() || NO_PLACE;
}
