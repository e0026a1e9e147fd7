// Iceland: numbers, addresses, accounts and the final due date (eindagi) of an Icelandic seller.
import { writtenIn } from '#rules/billing/countries.ts';
import { inDocument, LEGAL_NUMBER } from '#rules/billing/places.ts';
import { isDate } from '#rules/common/dates.ts';
import { DOCUMENT, SELLER } from '#rules/en16931/places.ts';
import { shown } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, has, normalized, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const TYPES = ['380', '381'];
const FINAL_DUE_DATE = 'EINDAGI';

export const ICELAND: Pattern = [
  context(DOCUMENT, writtenIn('IS', 'seller'), [
    advice(
      'IS-R-001',
      (node) => TYPES.includes(trimmed(node, 'cbc:InvoiceTypeCode')) || TYPES.includes(trimmed(node, 'cbc:CreditNoteTypeCode')),
      ({ tag }) => `An Icelandic seller sends invoices of type 380 and credit notes of type 381: correct cbc:${tag}TypeCode.`,
    ),
    kennitala('IS-R-002', SELLER, 'seller'),
    address('IS-R-003', SELLER, 'seller'),
    accountOf('IS-R-006', '9', 'a claim (payment means 9)'),
    accountOf('IS-R-007', '42', 'a bank transfer (payment means 42)'),
    rule(
      'IS-R-008',
      (node) => finalDates(node)?.every(isDate) ?? true,
      (node) =>
        `The final due date (EINDAGI) is '${shown(finalDates(node)?.find((final) => !isDate(final)) ?? '')}': write it as YYYY-MM-DD into cbc:ID of its reference.`,
      (node) => finalReferences(node).find((one) => !isDate(text(one, 'cbc:ID') ?? '')),
    ),
    rule(
      'IS-R-009',
      (node) => !finalDates(node) || has(node, 'cbc:DueDate'),
      'The document has a final due date (EINDAGI) but no due date: add cbc:DueDate.',
    ),
    rule(
      'IS-R-010',
      (node) => finalDates(node)?.some((final) => texts(node, 'cbc:DueDate').some((due) => due <= final)) ?? true,
      (node) =>
        `The final due date (EINDAGI) ${shown(finalDates(node)?.[0] ?? '')} is not on or after the due date ${trimmed(node, 'cbc:DueDate') || '(which is missing)'}: correct one of them.`,
      'cbc:DueDate',
    ),
  ]),
  context(inDocument('cac:AccountingCustomerParty'), writtenIn('IS', 'seller', 'buyer'), [
    kennitala('IS-R-004', 'cac:Party', 'buyer'),
    address('IS-R-005', 'cac:Party', 'buyer'),
  ]),
];

function kennitala(id: string, party: string, name: string): Rule {
  return rule(
    id,
    (node) => texts(node, `${party}/${LEGAL_NUMBER}/@schemeID`).includes('0196'),
    `An Icelandic ${name} must be named by its kennitala: add cac:PartyLegalEntity/cbc:CompanyID with schemeID 0196.`,
    `${party}/${LEGAL_NUMBER}`,
  );
}

function address(id: string, party: string, name: string): Rule {
  return rule(
    id,
    (node) => has(node, `${party}/cac:PostalAddress/cbc:StreetName`) && has(node, `${party}/cac:PostalAddress/cbc:PostalZone`),
    `The address of an Icelandic ${name} needs street and postal code: add cbc:StreetName and cbc:PostalZone.`,
    `${party}/cac:PostalAddress`,
  );
}

function accountOf(id: string, code: string, what: string): Rule {
  const holds = (node: XmlElement): boolean => {
    const meant = all(node, 'cac:PaymentMeans').filter((means) => texts(means, 'cbc:PaymentMeansCode').includes(code));
    const accounts = meant.flatMap((means) => texts(means, 'cac:PayeeFinancialAccount/cbc:ID'));
    return meant.length === 0 || (accounts.length > 0 && accounts.every((account) => normalized(account).length === 12));
  };
  return rule(
    id,
    holds,
    `In Iceland ${what} needs an account of 12 digits: write it into cac:PayeeFinancialAccount/cbc:ID.`,
    'cac:PaymentMeans',
  );
}

/** What stands in the place of a final due date; undefined when the document refers to none. */
function finalDates(node: XmlElement): readonly string[] | undefined {
  const references = finalReferences(node);
  return references.length > 0 ? references.map((one) => text(one, 'cbc:ID') ?? '') : undefined;
}

function finalReferences(node: XmlElement): readonly XmlElement[] {
  return all(node, 'cac:AdditionalDocumentReference').filter((one) => texts(one, 'cbc:DocumentDescription').includes(FINAL_DUE_DATE));
}
