// Which code lists hold where (BR-CL).

import { COUNTRIES } from '#rules/codes/countries.ts';
import { CURRENCIES_EN } from '#rules/codes/currencies.ts';
import { EAS_EN, ICD } from '#rules/codes/identifier-schemes.ts';
import { ITEM_CLASSIFICATIONS } from '#rules/codes/item-classifications.ts';
import { MEDIA_TYPES } from '#rules/codes/media-types.ts';
import { ALLOWANCE_REASONS, CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { REFERENCES } from '#rules/codes/references.ts';
import { UNITS } from '#rules/codes/units.ts';
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { ALL_AMOUNTS } from '#rules/common/amounts.ts';
import { type CodeList, suggestion } from '#rules/engine/codes.ts';
import { coded, quoted, shown } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { isBelow, normalized, stringOf, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { CREDIT_NOTE_TYPES, EXEMPTION_REASONS, INVOICE_TYPES, PAYMENT_MEANS, VAT_CATEGORIES, VAT_POINTS } from './codes.ts';

export const CODE_RULES: Pattern = [
  context('cbc:InvoiceTypeCode', [coded('BR-CL-01', INVOICE_TYPES)]),
  context('cbc:CreditNoteTypeCode', [coded('BR-CL-01', CREDIT_NOTE_TYPES)]),
  context(ALL_AMOUNTS, [currencyOfAmount('BR-CL-03', CURRENCIES_EN)]),
  context('cbc:DocumentCurrencyCode', [coded('BR-CL-04', CURRENCIES_EN)]),
  context('cbc:TaxCurrencyCode', [coded('BR-CL-05', CURRENCIES_EN)]),
  context('cac:InvoicePeriod/cbc:DescriptionCode', [coded('BR-CL-06', VAT_POINTS)]),
  context('cac:AdditionalDocumentReference/cbc:ID | cac:DocumentReference/cbc:ID', isOfObject, [
    coded('BR-CL-07', REFERENCES, '@schemeID'),
  ]),
  context('cac:PartyIdentification/cbc:ID', [schemeOfParty('BR-CL-10', ICD)]),
  context('cac:PartyLegalEntity/cbc:CompanyID', [coded('BR-CL-11', ICD, '@schemeID')]),
  context('cac:CommodityClassification/cbc:ItemClassificationCode', [coded('BR-CL-13', ITEM_CLASSIFICATIONS, '@listID')]),
  context('cac:Country/cbc:IdentificationCode', [coded('BR-CL-14', COUNTRIES)]),
  context('cac:OriginCountry/cbc:IdentificationCode', [coded('BR-CL-15', COUNTRIES)]),
  context('cac:PaymentMeans/cbc:PaymentMeansCode', [coded('BR-CL-16', PAYMENT_MEANS)]),
  context('cac:TaxCategory/cbc:ID', [coded('BR-CL-17', VAT_CATEGORIES)]),
  context('cac:ClassifiedTaxCategory/cbc:ID', [coded('BR-CL-18', VAT_CATEGORIES)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', inside(isAllowance), [coded('BR-CL-19', ALLOWANCE_REASONS)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', inside(isCharge), [coded('BR-CL-20', CHARGE_REASONS)]),
  context('cac:StandardItemIdentification/cbc:ID', [coded('BR-CL-21', ICD, '@schemeID')]),
  context('cbc:TaxExemptionReasonCode', [exemptionReason('BR-CL-22')]),
  context('cbc:InvoicedQuantity | cbc:BaseQuantity | cbc:CreditedQuantity', [coded('BR-CL-23', UNITS, '@unitCode')]),
  context('cbc:EmbeddedDocumentBinaryObject', [exactly('BR-CL-24', MEDIA_TYPES, 'mimeCode')]),
  context('cbc:EndpointID', [coded('BR-CL-25', EAS_EN, '@schemeID')]),
  context('cac:DeliveryLocation/cbc:ID', [coded('BR-CL-26', ICD, '@schemeID')]),
];

function inside(which: typeof isCharge): typeof isCharge {
  return ({ parent }) => parent !== null && which(parent);
}

function isOfObject({ parent }: XmlElement): boolean {
  return parent !== null && texts(parent, 'cbc:DocumentTypeCode').includes('130');
}

/** An amount without a currency is in none of the list. */
function currencyOfAmount(id: string, list: CodeList): Rule {
  const currencyOf = ({ attributes }: XmlElement): string => normalized(attributes.get('currencyID') ?? '');
  const sentence = (node: XmlElement): string =>
    `The amount ${node.tag} is in '${shown(currencyOf(node))}', which is no ${list.name}: correct its currencyID.${suggestion(list, currencyOf(node))}`;
  return rule(id, (node) => list.values.has(currencyOf(node)), sentence);
}

/** Who collects money, seller or payee, may give the identifier of a SEPA creditor too. */
function schemeOfParty(id: string, list: CodeList): Rule {
  const of = coded(id, list, '@schemeID');
  const isCreditor = (node: XmlElement): boolean =>
    normalized(node.attributes.get('schemeID') ?? '') === 'SEPA' &&
    (isBelow(node, 'cac:AccountingSupplierParty') || isBelow(node, 'cac:PayeeParty'));
  const sentence = (node: XmlElement): string => {
    const stated = node.attributes.get('schemeID') ?? '';
    return `${quoted(stated)} is no ${list.name}: correct the attribute schemeID, or take it out: the number may stand without.${suggestion(list, stated)}`;
  };
  return { ...of, holds: (node, root) => of.holds(node, root) || isCreditor(node), sentence };
}

/** In small letters too. */
function exemptionReason(id: string): Rule {
  return { ...coded(id, EXEMPTION_REASONS), holds: (node) => EXEMPTION_REASONS.values.has(normalized(stringOf(node)).toUpperCase()) };
}

/** White space around it is not forgiven. */
function exactly(id: string, list: CodeList, name: string): Rule {
  const holds = ({ attributes }: XmlElement): boolean => {
    const value = attributes.get(name);
    return value === undefined || list.values.has(value);
  };
  return { ...coded(id, list, `@${name}`), holds };
}
