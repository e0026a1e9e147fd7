// What UBL can say and EN 16931 does not: elements and attributes that receivers may overlook, told as warnings (UBL-CR and UBL-DT).
import { forbidden } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, type Rule, rule, warning } from '#rules/engine/rule.ts';
import { stringOf, text } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { idOf, rowsOf, UNUSED_ON_DOCUMENT, UNUSED_ON_LINES } from './unused-elements.ts';

const DOCUMENTS = ['/Invoice', '/CreditNote'];
const LINES = DOCUMENTS.flatMap((root) => [`${root}/cac:InvoiceLine`, `${root}/cac:CreditNoteLine`]);

/** Attributes that have no use at these places; a place without `/` in front may be anywhere. */
const UNUSED_ATTRIBUTES: readonly (readonly [number: number, path: string, attribute: string])[] = [
  [648, '/cbc:CustomizationID', 'schemeID'],
  [649, '/cbc:ProfileID', 'schemeID'],
  [650, '/cbc:ID', 'schemeID'],
  [651, '/cbc:SalesOrderID', 'schemeID'],
  [652, 'cac:PartyTaxScheme/cbc:CompanyID', 'schemeID'],
  [653, '/cac:PaymentMeans/cbc:PaymentID', 'schemeID'],
  [654, '/cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID', 'schemeID'],
  [655, '/cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID', 'schemeID'],
  [656, '/cbc:InvoiceTypeCode', 'listID'],
  [657, '/cbc:DocumentCurrencyCode', 'listID'],
  [658, '/cbc:TaxCurrencyCode', 'listID'],
  [659, '/cac:AdditionalDocumentReference/cbc:DocumentTypeCode', 'listID'],
  [660, 'cac:Country/cbc:IdentificationCode', 'listID'],
  [661, '/cac:PaymentMeans/cbc:PaymentMeansCode', 'listID'],
  [662, 'cbc:AllowanceChargeReasonCode', 'listID'],
  [667, 'cac:BuyersItemIdentification/cbc:ID', 'schemeID'],
  [668, 'cac:SellersItemIdentification/cbc:ID', 'schemeID'],
  [672, '/cbc:CreditNoteTypeCode', 'listID'],
  [674, 'cbc:PrimaryAccountNumberID', 'schemeID'],
  [675, 'cac:CardAccount/cbc:NetworkID', 'schemeID'],
  [676, 'cac:PaymentMandate/cbc:ID', 'schemeID'],
  [677, 'cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID', 'schemeID'],
  [678, 'cac:TaxCategory/cbc:ID', 'schemeID'],
  [679, 'cac:ClassifiedTaxCategory/cbc:ID', 'schemeID'],
];

/** Attributes that have no use anywhere: UBL-DT-08 to UBL-DT-28. */
const ANYWHERE = `schemeName schemeAgencyName schemeDataURI schemeURI format unitCodeListIdentifier unitCodeListAgencyIdentifier
  unitCodeListAgencyName listAgencyName listName name languageID listURI listSchemeURI languageLocaleID uri currencyCodeListVersionID
  characterSetCode encodingCode schemeAgencyID listAgencyID`.split(/\s+/);

/** By their ids. */
const UNUSED_ANYWHERE: ReadonlyMap<string, string> = new Map([
  ['unitCodeListID', 'UBL-CR-663'],
  ...ANYWHERE.map((name, at): [string, string] => [name, `UBL-DT-${String(at + 8).padStart(2, '0')}`]),
]);

export const UNUSED: readonly Pattern[] = [
  ...warnings(forbidden(DOCUMENTS, rowsOf(UNUSED_ON_DOCUMENT))),
  ...warnings(forbidden(LINES, rowsOf(UNUSED_ON_LINES))),
  ...warnings([
    ...forbidden(['*'], [['UBL-CR-664', 'cac:FinancialInstitution']]),
    ...forbidden(
      ['cac:Price/cac:AllowanceCharge'],
      [
        ['UBL-CR-669', 'cbc:AllowanceChargeReasonCode'],
        ['UBL-CR-670', 'cbc:AllowanceChargeReason'],
        ['UBL-CR-671', 'cbc:MultiplierFactorNumeric'],
      ],
    ),
    ...forbidden(['cac:PaymentMeans'], [['UBL-CR-680', 'cac:PayerFinancialAccount']]),
  ]),
  UNUSED_ATTRIBUTES.map(([number, path, name]) => context(onDocument(path), [unusedAttribute(idOf(number), name)])),
  [
    context(
      '*',
      carriesUnused,
      [...UNUSED_ANYWHERE].map(([name, id]) => unusedAttribute(id, name, allowsName)),
    ),
  ],
  [
    // A credit note states its due date here; an invoice has an element of its own for it.
    context('/Invoice/cac:PaymentMeans/cbc:PaymentDueDate', [
      warning(
        rule('UBL-CR-412', never, 'The due date stands in cac:PaymentMeans/cbc:PaymentDueDate: move it to cbc:DueDate of the invoice.'),
      ),
    ]),
    context('/Invoice/cbc:UBLVersionID | /CreditNote/cbc:UBLVersionID', [
      advice(
        'UBL-CR-002',
        (node) => stringOf(node) === '2.1',
        (node) => `The UBL version is '${stringOf(node)}', but EN 16931 is bound to UBL 2.1: write 2.1, or take cbc:UBLVersionID out.`,
      ),
    ]),
    context('cac:AdditionalDocumentReference/cbc:ID', isOfDocument, [unusedAttribute('UBL-CR-665', 'schemeID')]),
  ],
];

function warnings(patterns: readonly Pattern[]): Pattern[] {
  return patterns.map((pattern) => pattern.map((one) => ({ ...one, rules: one.rules.map(warning) })));
}

function onDocument(path: string): string {
  return path.startsWith('/') ? DOCUMENTS.map((root) => `${root}${path}`).join(' | ') : path;
}

function unusedAttribute(id: string, name: string, allowed: (node: XmlElement, name: string) => boolean = never): Rule {
  const holds = (node: XmlElement): boolean => !node.attributes.has(name) || allowed(node, name);
  return warning(rule(id, holds, ({ tag }) => `${tag} carries the attribute ${name}, which EN 16931 has no use for: take it out.`));
}

/** Nearly no element has any of them: asked once for each, not once for each of them. */
function carriesUnused({ attributes }: XmlElement): boolean {
  for (const name of attributes.keys()) if (UNUSED_ANYWHERE.has(name)) return true;
  return false;
}

/** The one attribute of them with a place of its own: payment means may be named. */
function allowsName({ tag }: XmlElement, name: string): boolean {
  return name === 'name' && tag === 'cbc:PaymentMeansCode';
}

/** The reference is to a document, not to the object that is invoiced (type 130): its id has no scheme. */
function isOfDocument({ parent }: XmlElement): boolean {
  return parent !== null && text(parent, 'cbc:DocumentTypeCode') !== '130';
}

function never(): boolean {
  return false;
}
