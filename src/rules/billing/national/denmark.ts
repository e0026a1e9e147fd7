// Denmark: numbers, classifications and taxes that are not VAT.
import { writtenIn } from '#rules/billing/countries.ts';
import { inDocument, LEGAL_NUMBER, LINES } from '#rules/billing/places.ts';
import { isNumeric } from '#rules/common/numeric.ts';
import { BUYER, DOCUMENT, SELLER } from '#rules/en16931/places.ts';
import { nonEmpty, quoted } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { has, normalized, number, text, texts, trimmed } from '#rules/engine/select.ts';
import { compare, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { DANISH_PAYMENT } from './denmark-payment.ts';

const danishSeller = writtenIn('DK', 'seller');
const bothDanish = writtenIn('DK', 'seller', 'buyer');

/** UNSPSC, as each release may be written. */
export const UNSPSC_RELEASES = ['19.05.01', '19.0501', '26.08.01', '26.0801'];

export const DENMARK: Pattern = [
  context(DOCUMENT, danishSeller, [
    nonEmpty(
      'DK-R-002',
      `${SELLER}/${LEGAL_NUMBER}`,
      'A Danish seller must give its CVR number: add cac:PartyLegalEntity/cbc:CompanyID with schemeID 0184.',
    ),
    isCvr('DK-R-014', SELLER, 'seller'),
    rule(
      'DK-R-016',
      (node, root) => node.tag !== 'CreditNote' || !bothDanish(node, root) || !isNegative(node),
      'A credit note between Danish parties cannot be for a negative amount: send an invoice instead, or correct cbc:PayableAmount.',
      'cac:LegalMonetaryTotal/cbc:PayableAmount',
    ),
  ]),
  context(inDocument(`${SELLER}/cac:PartyIdentification`).concat(` | ${inDocument(`${BUYER}/cac:PartyIdentification`)}`), bothDanish, [
    rule(
      'DK-R-013',
      (node) => !has(node, 'cbc:ID') || trimmed(node, 'cbc:ID/@schemeID') !== '',
      'Between Danish parties an identifier must say of which kind it is: add schemeID to cac:PartyIdentification/cbc:ID.',
      'cbc:ID',
    ),
  ]),
  context('/Invoice/cac:PaymentMeans', bothDanish, DANISH_PAYMENT),
  context(inDocument(BUYER), bothDanish, [isCvr('DK-R-017', '.', 'buyer')]),
  context(LINES, bothDanish, [unspsc(UNSPSC_RELEASES)]),
  context('cac:AllowanceCharge', bothDanish, [
    rule(
      'DK-R-004',
      (node) =>
        !texts(node, 'cbc:AllowanceChargeReasonCode').includes('ZZZ') || isTaxCategory(text(node, 'cbc:AllowanceChargeReason') ?? ''),
      (node) =>
        `${quoted(trimmed(node, 'cbc:AllowanceChargeReason'))} does not name a Danish tax: with the reason code ZZZ, write its four digits into cbc:AllowanceChargeReason, or 'number#text'.`,
      'cbc:AllowanceChargeReason',
    ),
  ]),
];

/** A classification by UNSPSC is by one of these releases. */
export function unspsc(releases: readonly string[]): Rule {
  const codes = 'cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode';
  return rule(
    'DK-R-003',
    (line) =>
      !texts(line, `${codes}/@listID`).includes('TST') ||
      texts(line, `${codes}/@listVersionID`).some((release) => releases.includes(release)),
    `Between Danish parties an item is classified by UNSPSC ${releases.join(', ')}: write one of these into listVersionID.`,
    codes,
  );
}

function isCvr(id: string, party: string, name: string): Rule {
  const path = party === '.' ? LEGAL_NUMBER : `${party}/${LEGAL_NUMBER}`;
  return rule(
    id,
    (node) => !has(node, path) || trimmed(node, `${path}/@schemeID`) === '0184',
    `The legal number of a Danish ${name} must be a CVR number: give cac:PartyLegalEntity/cbc:CompanyID the schemeID 0184.`,
    path,
  );
}

function isNegative(node: XmlElement): boolean {
  const payable = number(node, 'cac:LegalMonetaryTotal/cbc:PayableAmount');
  return payable !== undefined && compare(payable, ZERO) < 0;
}

/** Four characters that are a number of 0 to 9999, or a text with a # inside it. */
function isTaxCategory(reason: string): boolean {
  const number = normalized(reason);
  if (number.length === 4 && isNumeric(number) && Number(number) >= 0 && Number(number) <= 9999) return true;
  return reason.includes('#') && !reason.startsWith('#') && !reason.endsWith('#');
}
