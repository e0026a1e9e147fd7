// Codes, dates and reasons of exemption.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { EAS } from '#rules/codes/identifier-schemes.ts';
import { MEDIA_TYPES } from '#rules/codes/media-types.ts';
import { ALLOWANCE_REASONS, CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { ALL_AMOUNTS } from '#rules/common/amounts.ts';
import { realDates } from '#rules/common/dates.ts';
import { VAT_POINTS } from '#rules/en16931/codes.ts';
import { type CodeList, suggestion } from '#rules/engine/codes.ts';
import { coded, shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { normalized, stringOf, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { bothInGermany } from './document.ts';
import { BILLING_EDITION } from './edition.ts';

const GERMAN_TYPES = ['326', '384'];

/** Reasons of exemption that stand for one category of VAT. */
const EXEMPTIONS: readonly (readonly [id: string, reason: string, category: string])[] = [
  ['PEPPOL-EN16931-P0104', 'VATEX-EU-G', 'G'],
  ['PEPPOL-EN16931-P0105', 'VATEX-EU-O', 'O'],
  ['PEPPOL-EN16931-P0106', 'VATEX-EU-IC', 'K'],
  ['PEPPOL-EN16931-P0107', 'VATEX-EU-AE', 'AE'],
  ['PEPPOL-EN16931-P0108', 'VATEX-EU-D', 'E'],
  ['PEPPOL-EN16931-P0109', 'VATEX-EU-F', 'E'],
  ['PEPPOL-EN16931-P0110', 'VATEX-EU-I', 'E'],
  ['PEPPOL-EN16931-P0111', 'VATEX-EU-J', 'E'],
];

export const CODES: Pattern = [
  context('cbc:EmbeddedDocumentBinaryObject', stating('mimeCode'), [codedAttribute('PEPPOL-EN16931-CL001', 'mimeCode', MEDIA_TYPES)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', indicated('false'), [coded('PEPPOL-EN16931-CL002', ALLOWANCE_REASONS)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', indicated('true'), [coded('PEPPOL-EN16931-CL003', CHARGE_REASONS)]),
  context('cac:InvoicePeriod/cbc:DescriptionCode', [coded('PEPPOL-EN16931-CL006', VAT_POINTS)]),
  context(ALL_AMOUNTS, [codedAttribute('PEPPOL-EN16931-CL007', 'currencyID', CURRENCIES)]),
  context('cbc:InvoiceTypeCode', [
    BILLING_EDITION.invoiceType,
    rule(
      'PEPPOL-EN16931-P0112',
      (node, root) => !GERMAN_TYPES.includes(normalized(stringOf(node))) || bothInGermany(node, root),
      (node) =>
        `Type ${normalized(stringOf(node))} is only for invoices between German parties: write another type into cbc:InvoiceTypeCode, for example 380.`,
    ),
  ]),
  context('cbc:CreditNoteTypeCode', [BILLING_EDITION.creditNoteType]),
  realDates('PEPPOL-EN16931-F001'),
  context('cbc:EndpointID', stating('schemeID'), [codedAttribute('PEPPOL-EN16931-CL008', 'schemeID', EAS)]),
  ...EXEMPTIONS.map(exemption),
];

function indicated(value: string): Test {
  return (node) => texts(node, '../cbc:ChargeIndicator').includes(value);
}

function stating(name: string): Test {
  return ({ attributes }) => attributes.has(name);
}

/** The attribute is there and exactly one of the list. */
export function codedAttribute(id: string, name: string, list: CodeList): Rule {
  const sentence = ({ tag, attributes }: XmlElement): string => {
    const value = attributes.get(name);
    if (value === undefined) return `${tag} has no ${name}: add the attribute, with a ${list.name}.`;
    return `'${shown(value)}' is no ${list.name}: correct ${name} of ${tag}.${suggestion(list, value)}`;
  };
  return rule(id, ({ attributes }) => list.values.has(attributes.get(name) ?? ''), sentence);
}

function exemption([id, reason, category]: (typeof EXEMPTIONS)[number]): Context {
  const states: Test = (node) => texts(node, 'cbc:TaxExemptionReasonCode').some((code) => code.toUpperCase() === reason);
  const sentence = (node: XmlElement): string =>
    `The reason ${reason} is for VAT category ${category}, but the category is '${shown(trimmed(node, 'cbc:ID'))}': correct cbc:ID or cbc:TaxExemptionReasonCode.`;
  return context('cac:TaxCategory', states, [rule(id, (node) => trimmed(node, 'cbc:ID') === category, sentence, 'cbc:ID')]);
}
