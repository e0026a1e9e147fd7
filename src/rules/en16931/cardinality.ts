// How often things may occur in UBL when it carries EN 16931 (UBL-SR), and how amounts and attachments are written (UBL-DT).
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { maxDecimals, occurs, required, requiredAttribute } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, count, everywhere, has, stringOf, text, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { BUYER, DOCUMENT, LINE, SELLER } from './places.ts';

const OBJECT = '130';

export const CARDINALITY: readonly Pattern[] = [
  [
    context(DOCUMENT, [
      ...once(
        ['UBL-SR-01', 'cac:ContractDocumentReference/cbc:ID'],
        ['UBL-SR-02', 'cac:ReceiptDocumentReference/cbc:ID'],
        ['UBL-SR-03', 'cac:DespatchDocumentReference/cbc:ID'],
        ['UBL-SR-05', 'cac:PaymentTerms/cbc:Note'],
        ['UBL-SR-08', 'cac:InvoicePeriod'],
        ['UBL-SR-09', `${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName`],
        ['UBL-SR-10', `${SELLER}/cac:PartyName/cbc:Name`],
        ['UBL-SR-11', `${SELLER}/cac:PartyLegalEntity/cbc:CompanyID`],
        ['UBL-SR-14', `${SELLER}/cac:PartyLegalEntity/cbc:CompanyLegalForm`],
        ['UBL-SR-15', `${BUYER}/cac:PartyLegalEntity/cbc:RegistrationName`],
        ['UBL-SR-16', `${BUYER}/cac:PartyIdentification/cbc:ID`],
        ['UBL-SR-17', `${BUYER}/cac:PartyLegalEntity/cbc:CompanyID`],
        ['UBL-SR-24', 'cac:Delivery'],
        ['UBL-SR-39', 'cac:ProjectReference/cbc:ID'],
        ['UBL-SR-40', `${BUYER}/cac:PartyName/cbc:Name`],
        ['UBL-SR-45', 'cac:PaymentMeans/cbc:PaymentDueDate'],
        ['UBL-SR-49', 'cac:InvoicePeriod/cbc:DescriptionCode'],
        ['UBL-SR-54', 'cac:PaymentMeans/cac:CardAccount'],
        ['UBL-SR-55', 'cac:PaymentMeans/cac:PaymentMandate'],
        ['UBL-SR-56', 'cac:OriginatorDocumentReference/cbc:ID'],
      ),
      atMostOne('UBL-SR-04', 'references to the object that is invoiced (type 130)', (root) =>
        all(root, 'cac:AdditionalDocumentReference')
          .filter(isOfObject)
          .flatMap((reference) => all(reference, 'cbc:ID')),
      ),
      atMostOne('UBL-SR-12', 'VAT numbers of the seller', (root) => taxNumbers(root, SELLER, (scheme) => scheme === 'VAT')),
      atMostOne('UBL-SR-13', 'numbers of the seller for other taxes than VAT', (root) =>
        taxNumbers(root, SELLER, (scheme) => scheme !== undefined && scheme !== 'VAT'),
      ),
      atMostOne('UBL-SR-18', 'VAT numbers of the buyer', (root) => taxNumbers(root, BUYER, (scheme) => scheme === 'VAT')),
      atMostOne('UBL-SR-29', 'identifiers of a SEPA creditor', (root) =>
        everywhere(root, 'cac:PartyIdentification').flatMap((identification) => all(identification, 'cbc:ID').filter(isSepa)),
      ),
      rule(
        'UBL-SR-46',
        (node) => texts(node, 'cac:PaymentMeans/cbc:PaymentMeansCode/@name').length <= 1,
        'The means of payment are named more than once: keep the attribute name of one cbc:PaymentMeansCode.',
        'cac:PaymentMeans',
      ),
      alike('UBL-SR-44', 'cbc:PaymentID', 'references for the payment'),
      alike('UBL-SR-47', 'cbc:PaymentMeansCode', 'means of payment'),
    ]),
    context('cac:PostalAddress | cac:Address', once(['UBL-SR-51', 'cac:AddressLine'])),
    context(SELLER, [occurs('UBL-SR-42', 'cac:PartyTaxScheme', { max: 2 })]),
    context('cac:AdditionalDocumentReference', [
      ...once(['UBL-SR-33', 'cbc:DocumentDescription']),
      rule(
        'UBL-SR-43',
        isTypedRightly,
        'A supporting document carries a type or the scheme of an object: take out cbc:DocumentTypeCode and schemeID, or write type 130 for an object that is invoiced (50 for a project in a credit note).',
        'cbc:DocumentTypeCode',
      ),
      ...['UBL-CR-666 cac:Attachment', 'UBL-CR-673 cbc:DocumentDescription'].map(unusedOfObject),
    ]),
    context('cac:Delivery', once(['UBL-SR-25', 'cac:DeliveryParty/cac:PartyName/cbc:Name'])),
    context('cac:AllowanceCharge', isAllowance, once(['UBL-SR-30', 'cbc:AllowanceChargeReason'])),
    context('cac:AllowanceCharge', isCharge, once(['UBL-SR-31', 'cbc:AllowanceChargeReason'])),
    context('cac:PartyTaxScheme', [
      rule(
        'UBL-SR-53',
        (node) => has(node, 'cac:TaxScheme/cbc:ID') && has(node, 'cbc:CompanyID'),
        (node) => {
          const missing = ['cbc:CompanyID', 'cac:TaxScheme/cbc:ID'].filter((part) => !has(node, part));
          return `A tax number is incomplete: add ${missing.join(' and ')}, or take cac:PartyTaxScheme out.`;
        },
      ),
    ]),
    context(LINE, [
      ...once(
        ['UBL-SR-34', 'cbc:Note'],
        ['UBL-SR-35', 'cac:OrderLineReference/cbc:LineID'],
        ['UBL-SR-36', 'cac:InvoicePeriod'],
        ['UBL-SR-37', 'cac:Price/cac:AllowanceCharge/cbc:Amount'],
        ['UBL-SR-50', 'cac:Item/cbc:Description'],
        ['UBL-SR-52', 'cac:DocumentReference'],
      ),
      occurs('UBL-SR-48', 'cac:Item/cac:ClassifiedTaxCategory', { min: 1, max: 1 }),
    ]),
    context('cac:PayeeParty', [
      ofPayee('UBL-SR-19', 'name', (node) => count(node, 'cac:PartyName/cbc:Name')),
      ofPayee('UBL-SR-20', 'identifier', (node) => all(node, 'cac:PartyIdentification/cbc:ID').filter((id) => !isSepa(id)).length),
      ofPayee('UBL-SR-21', 'number in the register', (node) => count(node, 'cac:PartyLegalEntity/cbc:CompanyID')),
    ]),
    context(
      'cac:PaymentMeans',
      once(['UBL-SR-26', 'cbc:PaymentID'], ['UBL-SR-27', 'cbc:PaymentMeansCode'], ['UBL-SR-28', 'cac:PaymentMandate/cbc:ID']),
    ),
    context('cac:BillingReference', [
      ...once(['UBL-SR-06', 'cac:InvoiceDocumentReference']),
      required('UBL-SR-07', 'cac:InvoiceDocumentReference/cbc:ID'),
    ]),
    context('cac:TaxRepresentativeParty', once(['UBL-SR-22', 'cac:PartyName/cbc:Name'], ['UBL-SR-23', 'cac:PartyTaxScheme/cbc:CompanyID'])),
    context('cac:TaxSubtotal', once(['UBL-SR-32', 'cac:TaxCategory/cbc:TaxExemptionReason'])),
  ],
  [
    context('*PriceAmount', []),
    context('*Amount', isNotOfPrice, [maxDecimals('UBL-DT-01', '.')]),
    context('*BinaryObject', [
      requiredAttribute(
        'UBL-DT-06',
        'mimeCode',
        'The attachment does not say of which type it is: add mimeCode, for example application/pdf.',
      ),
      requiredAttribute('UBL-DT-07', 'filename', 'The attachment has no file name: add filename.'),
    ]),
  ],
];

function once(...rows: readonly (readonly [id: string, path: string])[]): Rule[] {
  return rows.map(([id, path]) => occurs(id, path, { max: 1 }));
}

/** The second one is pointed at. */
function atMostOne(id: string, what: string, find: (root: XmlElement) => readonly XmlElement[]): Rule {
  return rule(
    id,
    (node) => find(node).length <= 1,
    (node) => `The document has ${find(node).length} ${what}, but at most one is allowed: keep the one that is meant.`,
    (node) => find(node)[1],
  );
}

/** By the scheme as it stands, only in capitals: here the official rules do not take white space away. */
function taxNumbers(root: XmlElement, party: string, counts: (scheme: string | undefined) => boolean): readonly XmlElement[] {
  const schemes = all(root, `${party}/cac:PartyTaxScheme`).filter((node) => counts(schemeOf(node)));
  return schemes.flatMap((scheme) => all(scheme, 'cbc:CompanyID'));
}

/** A tax scheme without a name is one with an empty name. */
function schemeOf(node: XmlElement): string | undefined {
  return has(node, 'cac:TaxScheme') ? (text(node, 'cac:TaxScheme/cbc:ID') ?? '').toUpperCase() : undefined;
}

/** An identifier by which a bank collects money. */
function isSepa(id: XmlElement): boolean {
  return id.attributes.get('schemeID')?.toUpperCase() === 'SEPA';
}

function alike(id: string, tag: string, what: string): Rule {
  const different = (root: XmlElement): string[] => [...new Set(everywhere(root, tag).map(stringOf))];
  return rule(
    id,
    (_node, root) => different(root).length <= 1,
    (_node, root) => `The document names different ${what} (${different(root).slice(0, 3).join(', ')}): all ${tag} must be the same.`,
    (_node, root) => everywhere(root, tag).find((one, _at, [first]) => first !== undefined && stringOf(one) !== stringOf(first)),
  );
}

function isOfObject(reference: XmlElement): boolean {
  return text(reference, 'cbc:DocumentTypeCode') === OBJECT;
}

function isTypedRightly(node: XmlElement, root: XmlElement): boolean {
  const type = text(node, 'cbc:DocumentTypeCode');
  if (type === undefined) return !has(node, 'cbc:ID/@schemeID');
  return type === OBJECT || (type === '50' && root.tag === 'CreditNote');
}

function unusedOfObject(row: string): Rule {
  const [id = '', path = ''] = row.split(' ');
  return rule(
    id,
    (node) => !isOfObject(node) || !has(node, path),
    `The reference to the object that is invoiced (type 130) carries ${path}, which belongs to supporting documents: take it out.`,
    path,
  );
}

/** The official rules ask for another name than the seller's each time, and fail where the payee has none. */
function ofPayee(id: string, what: string, counted: (payee: XmlElement) => number): Rule {
  const isNamedOtherwise = (node: XmlElement): boolean => {
    const sellers = texts(node, `../${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName`);
    return texts(node, 'cac:PartyName/cbc:Name').some((name) => sellers.some((seller) => seller !== name));
  };
  const sentence = (node: XmlElement): string =>
    counted(node) > 1
      ? `The payee has more than one ${what}: keep the one that is meant.`
      : "The payee has no name, or the seller's: fill cac:PartyName/cbc:Name, or take cac:PayeeParty out when the seller itself is paid.";
  return rule(id, (node) => counted(node) <= 1 && isNamedOtherwise(node), sentence);
}

/** Prices, and what is taken off them, may be as exact as they like. */
function isNotOfPrice(node: XmlElement): boolean {
  for (let above = node.parent; above; above = above.parent) {
    if (above.tag === 'cac:Price' && has(above, 'cac:AllowanceCharge')) return false;
  }
  return true;
}
