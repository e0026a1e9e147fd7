// A receipt as a document of UBL: an ApplicationResponse, by the Peppol profile of message level responses (T71).
import type { GroupedFinding, Receipt, RepairedValue, Stage } from '#domain/receipt.ts';
import { visibleLines } from '#domain/visible.ts';
import { UblWriter } from '#ubl/writer.ts';

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

/** Where a finding is about no place. */
const NO_PLACE = 'NA';
/** What XML does not have, beside control characters. */
const NOT_XML = /[\ufffe\uffff]|\p{Surrogate}/gu;

/** The addresses are those of the document, turned round; without them it is a response of no profile. */
export function responseOf(receipt: Receipt): string {
  const { sender, receiver, stage, at } = receipt;
  const wouldBeRefused = stage === 'tested' && receipt.code !== null;
  const response = new UblWriter('ApplicationResponse');
  if (sender !== null && receiver !== null) {
    response.value('CustomizationID', CUSTOMIZATION);
    response.value('ProfileID', PROFILE);
  }
  response.value('ID', `${receipt.sha256 || at}.${stage}`);
  response.value('IssueDate', at.slice(0, 10));
  response.value('IssueTime', `${at.slice(11, 19)}Z`);
  writeParty(response, 'SenderParty', receiver);
  writeParty(response, 'ReceiverParty', sender);
  response.group('DocumentResponse', () => {
    response.group('Response', () => {
      response.value('ResponseCode', wouldBeRefused ? 'RE' : CODES[stage]);
      response.value('Description', textIn(receipt.message));
    });
    response.group('DocumentReference', () => response.value('ID', textIn(receipt.documentId ?? receipt.file)));
    for (const finding of receipt.findings.flatMap((each) => [each, ...(each.follows ?? [])])) writeFinding(response, finding);
    for (const change of receipt.suggested?.changes ?? []) writeChange(response, change);
  });
  return Buffer.from(response.end()).toString();
}

function writeParty(response: UblWriter, role: string, participant: string | null): void {
  const [, schemeID, value] = /^(\d{4}):(.+)$/s.exec(participant ?? '') ?? [];
  response.group(role, () => {
    if (schemeID && value) response.value('EndpointID', textIn(value), { schemeID });
    else response.group('PartyName', () => response.value('Name', 'unknown'));
  });
}

function writeFinding(response: UblWriter, { rule, severity, message, path, pointer }: GroupedFinding): void {
  response.group('LineResponse', () => {
    response.group('LineReference', () => response.value('LineID', textIn(path ?? pointer ?? NO_PLACE)));
    response.group('Response', () => {
      response.value('ResponseCode', severity === 'fatal' ? 'RE' : 'AP');
      response.value('Description', textIn(`${rule}: ${message}`));
      response.group('Status', () => response.value('StatusReasonCode', severity === 'fatal' ? 'BV' : 'BW'));
    });
  });
}

/** A change of the document that is suggested, where it is. */
function writeChange(response: UblWriter, change: RepairedValue): void {
  response.group('LineResponse', () => {
    response.group('LineReference', () => response.value('LineID', textIn(change.path)));
    response.group('Response', () => {
      response.value('ResponseCode', 'AP');
      response.value('Description', textIn(`Suggested: ${changeText(change)}`));
      response.group('Status', () => response.value('StatusReasonCode', 'BW'));
    });
  });
}

/** In words. */
export function changeText({ path, from, to }: RepairedValue): string {
  return `${path} is '${to}'${from === null ? '' : `, and was '${from}'`}`;
}

function textIn(text: string): string {
  return visibleLines(text).replaceAll(NOT_XML, '\u{fffd}').trim() || NO_PLACE;
}
