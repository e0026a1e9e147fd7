// Germany: what an invoice between German parties must say, by the rules of XRechnung.
import { bothInGermany } from '#rules/billing/document.ts';
import { inDocument } from '#rules/billing/places.ts';
import { BUYER, DOCUMENT, SELLER } from '#rules/en16931/places.ts';
import { nonEmpty, quoted, required, shown } from '#rules/engine/kinds.ts';
import { advice, type Context, context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, has, isFilled, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { GERMAN_DIRECT_DEBIT, GERMAN_PAYMENT, GERMAN_PAYMENT_MEANS, GERMAN_TERMS } from './germany-payment.ts';

const TYPES = ['326', '380', '384', '389', '381', '875', '876', '877'];
const VAT_CATEGORIES = ['S', 'Z', 'E', 'AE', 'K', 'G', 'L', 'M'];
const EMAIL = /^[^@\s]+@(?:[^@.\s]+\.)+[^@.\s]+$/;

const typeOf = (node: XmlElement): string => trimmed(node, 'cbc:InvoiceTypeCode') || trimmed(node, 'cbc:CreditNoteTypeCode');

const OF_DOCUMENT: readonly Rule[] = [
  GERMAN_PAYMENT,
  nonEmpty(
    'DE-R-015',
    'cbc:BuyerReference',
    'Between German parties the reference of the buyer is needed (for authorities the Leitweg-ID): fill cbc:BuyerReference.',
  ),
  rule(
    'DE-R-016',
    (node) =>
      !usesVat(node) || has(node, 'cac:TaxRepresentativeParty') || texts(node, `${SELLER}/cac:PartyTaxScheme/cbc:CompanyID`).some(isFilled),
    'The seller charges VAT but names no tax number: add cac:PartyTaxScheme/cbc:CompanyID, or its cac:TaxRepresentativeParty.',
    SELLER,
  ),
  advice(
    'DE-R-017',
    (node) => TYPES.includes(trimmed(node, 'cbc:InvoiceTypeCode')) || TYPES.includes(trimmed(node, 'cbc:CreditNoteTypeCode')),
    (node) => `Type '${shown(typeOf(node))}' is unusual between German parties: use one of ${TYPES.join(', ')}.`,
  ),
  GERMAN_TERMS,
  rule(
    'DE-R-022',
    (node) => fileNameAgain(node) === undefined,
    (node) => `Two attachments have the file name '${shown(fileNameAgain(node) ?? '')}': rename one of them.`,
    'cac:AdditionalDocumentReference',
  ),
  advice(
    'DE-R-026',
    (node) => typeOf(node) !== '384' || has(node, 'cac:BillingReference/cac:InvoiceDocumentReference'),
    'A corrected invoice should name the invoice that it corrects: add cac:BillingReference/cac:InvoiceDocumentReference.',
  ),
  ...GERMAN_DIRECT_DEBIT,
];

const OF_CONTACT: readonly Rule[] = [
  filled('DE-R-005', 'cbc:Name', "The seller's contact has no name"),
  filled('DE-R-006', 'cbc:Telephone', "The seller's contact has no telephone number"),
  filled('DE-R-007', 'cbc:ElectronicMail', "The seller's contact has no e-mail address"),
  advice(
    'DE-R-027',
    (node) => trimmed(node, 'cbc:Telephone').replace(/[^0-9]/g, '').length >= 3,
    (node) => `${quoted(trimmed(node, 'cbc:Telephone'))} is no telephone number: write one with at least three digits into cbc:Telephone.`,
    'cbc:Telephone',
  ),
  advice(
    'DE-R-028',
    (node) => EMAIL.test(trimmed(node, 'cbc:ElectronicMail')),
    (node) => `${quoted(trimmed(node, 'cbc:ElectronicMail'))} is no e-mail address: correct cbc:ElectronicMail.`,
    'cbc:ElectronicMail',
  ),
];

export const GERMANY: Pattern = [
  context(DOCUMENT, bothInGermany, OF_DOCUMENT),
  german('cac:AdditionalDocumentReference/cac:Attachment/cac:ExternalReference', [
    advice(
      'DE-R-T02',
      (node) => /^[a-zA-Z][a-zA-Z0-9+.-]+:/.test(text(node, 'cbc:URI') ?? ''),
      (node) => `${quoted(trimmed(node, 'cbc:URI'))} is no full address: begin cbc:URI with its scheme, for example https://.`,
      'cbc:URI',
    ),
  ]),
  german('cac:AccountingSupplierParty', [
    required(
      'DE-R-002',
      'cac:Party/cac:Contact',
      'Between German parties the seller names a contact: add cac:Contact with name, telephone and e-mail.',
    ),
  ]),
  german(`${SELLER}/cac:PostalAddress`, [
    filled('DE-R-003', 'cbc:CityName', "The seller's address has no city"),
    filled('DE-R-004', 'cbc:PostalZone', "The seller's address has no postal code"),
  ]),
  german(`${SELLER}/cac:Contact`, OF_CONTACT),
  german(`${BUYER}/cac:PostalAddress`, [
    filled('DE-R-008', 'cbc:CityName', "The buyer's address has no city"),
    filled('DE-R-009', 'cbc:PostalZone', "The buyer's address has no postal code"),
  ]),
  german('cac:Delivery/cac:DeliveryLocation/cac:Address', [
    filled('DE-R-010', 'cbc:CityName', 'The address of delivery has no city'),
    filled('DE-R-011', 'cbc:PostalZone', 'The address of delivery has no postal code'),
  ]),
  ...GERMAN_PAYMENT_MEANS,
  german('cac:TaxTotal/cac:TaxSubtotal', [filled('DE-R-014', 'cac:TaxCategory/cbc:Percent', 'A VAT subtotal has no rate')]),
];

function german(path: string, rules: readonly Rule[]): Context {
  return context(inDocument(path), bothInGermany, rules);
}

function filled(id: string, path: string, complaint: string): Rule {
  return nonEmpty(id, path, `${complaint}: fill ${path}.`);
}

/** The lines, an allowance or a charge of the document are in a category of VAT. */
function usesVat(node: XmlElement): boolean {
  const charged = all(node, 'cac:AllowanceCharge').filter((one) =>
    texts(one, 'cbc:ChargeIndicator').some((value) => value === 'true' || value === 'false'),
  );
  const categories = charged.flatMap((one) => texts(one, 'cac:TaxCategory/cbc:ID'));
  const ofLines = ['cac:InvoiceLine', 'cac:CreditNoteLine'].flatMap((line) =>
    texts(node, `${line}/cac:Item/cac:ClassifiedTaxCategory/cbc:ID`),
  );
  return [...categories, ...ofLines].some((category) => VAT_CATEGORIES.includes(category));
}

/** The first file name that an earlier reference has too. */
function fileNameAgain(node: XmlElement): string | undefined {
  const seen = new Set<string>();
  for (const reference of all(node, 'cac:AdditionalDocumentReference')) {
    const names = texts(reference, 'cac:Attachment/cbc:EmbeddedDocumentBinaryObject/@filename');
    const again = names.find((name) => seen.has(name));
    if (again !== undefined) return again;
    for (const name of names) seen.add(name);
  }
  return undefined;
}
