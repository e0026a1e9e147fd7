// Sweden: numbers, VAT rates and payment of a Swedish seller.
import { vatNumbers } from '#rules/billing/countries.ts';
import { startsAsSwedishNumber } from '#rules/common/check-digits.ts';
import { isNumeric } from '#rules/common/numeric.ts';
import { BUYER, SELLER } from '#rules/en16931/places.ts';
import { shown } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, type Rule, rule, type Test, warning } from '#rules/engine/rule.ts';
import { all, fact, has, normalized, number, stringOf, texts, trimmed } from '#rules/engine/select.ts';
import { type Decimal, equal } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const RATES: readonly Decimal[] = [25n, 12n, 6n].map((units) => ({ units, scale: 0 }));
const COUNTRY = 'cac:PostalAddress/cac:Country/cbc:IdentificationCode';
const ACCOUNT = 'cac:PayeeFinancialAccount/cbc:ID';

const swedishSeller = fact((root) => all(root, SELLER).some(isInSweden));
const swedishBuyer = fact((root) => all(root, BUYER).some(isInSweden));
const swedishVatPayer = fact((root) => all(root, SELLER).some(paysSwedishVat));

const never = (): boolean => false;

export const SWEDEN: Pattern = [
  context(SELLER, paysSwedishVat, [
    rule('SE-R-001', (party) => normalized(vatNumber(party)).length === 14, vatSentence, atVatNumber),
    rule('SE-R-002', (party) => isNumeric(vatNumber(party).slice(2, 14)), vatSentence, atVatNumber),
  ]),
  context(`${SELLER}/cac:PartyLegalEntity`, (entity) => isInSweden(entity.parent) && has(entity, 'cbc:CompanyID'), [
    legalNumber('SE-R-003', isNumeric, 'digits only'),
    legalNumber('SE-R-004', (value) => value.length === 10, 'exactly 10 digits'),
    legalNumber('SE-R-013', startsAsSwedishNumber, 'the last of its 10 digits must be the check digit by Luhn'),
  ]),
  context(`${SELLER}/cac:PartyTaxScheme/cbc:CompanyID`, isOtherTaxNumber, [
    rule(
      'SE-R-005',
      (node) => normalized(stringOf(node).toUpperCase()) === 'GODKÄND FÖR F-SKATT',
      (node) => `A Swedish seller's tax registration is '${shown(stringOf(node))}': write 'Godkänd för F-skatt' into cbc:CompanyID.`,
    ),
  ]),
  context('cac:TaxCategory | cac:ClassifiedTaxCategory', isSwedishStandardRate, [
    rule(
      'SE-R-006',
      (category) => RATES.some((rate) => isRate(category, rate)),
      (category) => `${shown(trimmed(category, 'cbc:Percent'))} % is no Swedish rate of VAT: correct cbc:Percent to 25, 12 or 6.`,
      'cbc:Percent',
    ),
  ]),
  context(`cac:PaymentMeans/${ACCOUNT}`, isGiro('SE:PLUSGIRO'), [
    account('SE-R-007', 'Plusgiro', isNumeric, 'digits only'),
    account('SE-R-010', 'Plusgiro', ({ length }) => length >= 2 && length <= 8, '2 to 8 digits'),
  ]),
  context(`cac:PaymentMeans/${ACCOUNT}`, isGiro('SE:BANKGIRO'), [
    account('SE-R-008', 'Bankgiro', isNumeric, 'digits only'),
    account('SE-R-009', 'Bankgiro', ({ length }) => length === 7 || length === 8, '7 or 8 digits'),
  ]),
  context('cac:PaymentMeans', (node, root) => swedishSeller(root) && isPaidBy(node, '50', '56'), [
    advice(
      'SE-R-011',
      never,
      'Bankgiro and Plusgiro are told otherwise in Sweden: write 30 into cbc:PaymentMeansCode, and SE:BANKGIRO or SE:PLUSGIRO into cac:FinancialInstitutionBranch/cbc:ID.',
      'cbc:PaymentMeansCode',
    ),
  ]),
  context('cac:PaymentMeans', (node, root) => swedishSeller(root) && swedishBuyer(root) && isPaidBy(node, '31'), [
    advice(
      'SE-R-012',
      never,
      'Between Swedish parties a credit transfer has the code 30: write it into cbc:PaymentMeansCode.',
      'cbc:PaymentMeansCode',
    ),
  ]),
];

function legalNumber(id: string, fits: (value: string) => boolean, form: string): Rule {
  return rule(
    id,
    (entity) => fits(trimmed(entity, 'cbc:CompanyID')),
    (entity) => `'${shown(trimmed(entity, 'cbc:CompanyID'))}' is no Swedish organisation number: ${form}. Correct cbc:CompanyID.`,
    'cbc:CompanyID',
  );
}

function account(id: string, name: string, fits: (value: string) => boolean, form: string): Rule {
  const sentence = (node: XmlElement): string => `'${shown(stringOf(node))}' is no ${name} account: write ${form}.`;
  return warning(rule(id, (node) => fits(normalized(stringOf(node))), sentence));
}

function vatSentence(party: XmlElement): string {
  return `'${shown(vatNumber(party))}' is no Swedish VAT number: write SE and 12 digits into cbc:CompanyID.`;
}

function vatNumber(party: XmlElement): string {
  return vatNumbers(party, '.')[0] ?? '';
}

function atVatNumber(party: XmlElement): XmlElement | undefined {
  return all(party, 'cac:PartyTaxScheme/cbc:CompanyID').find((number) => stringOf(number) === vatNumber(party));
}

function isInSweden(party: XmlElement | null): boolean {
  return party !== null && texts(party, COUNTRY).includes('SE');
}

function paysSwedishVat(party: XmlElement): boolean {
  return isInSweden(party) && vatNumbers(party, '.').some((value) => value.startsWith('SE'));
}

function isOtherTaxNumber({ parent: scheme }: XmlElement): boolean {
  const party = scheme?.parent ?? null;
  if (!scheme || !party || !isInSweden(party) || !has(party, 'cac:PartyLegalEntity/cbc:CompanyID')) return false;
  return trimmed(scheme, 'cac:TaxScheme/cbc:ID').toUpperCase() !== 'VAT';
}

function isSwedishStandardRate(category: XmlElement, root: XmlElement): boolean {
  return swedishVatPayer(root) && texts(category, 'cbc:ID').includes('S');
}

function isRate(category: XmlElement, rate: Decimal): boolean {
  const percent = number(category, 'cbc:Percent');
  return percent !== undefined && equal(percent, rate);
}

function isGiro(giro: string): Test {
  return (node, root) => {
    const means = node.parent?.parent;
    if (!means || !swedishSeller(root) || trimmed(means, 'cbc:PaymentMeansCode') !== '30') return false;
    return trimmed(means, 'cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID') === giro;
  };
}

function isPaidBy(means: XmlElement, ...codes: string[]): boolean {
  return texts(means, 'cbc:PaymentMeansCode').some((code) => codes.includes(code));
}
