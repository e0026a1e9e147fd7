// Codes that a list has in other letters, capitals or small ones, or without the white space around them.
import { COUNTRIES } from '#rules/codes/countries.ts';
import { CURRENCIES, CURRENCIES_EN } from '#rules/codes/currencies.ts';
import { ITEM_CLASSIFICATIONS } from '#rules/codes/item-classifications.ts';
import { MEDIA_TYPES, MEDIA_TYPES_ORDERS } from '#rules/codes/media-types.ts';
import { CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { UNITS } from '#rules/codes/units.ts';
import { EXEMPTION_REASONS, INVOICE_TYPES, PAYMENT_MEANS, VAT_CATEGORIES } from '#rules/en16931/codes.ts';
import { type CodeList, union } from '#rules/engine/codes.ts';
import { CATALOGUE_ACTIONS, INVOICE_STATUSES, ITEM_DOCUMENT_TYPES, RESPONSES } from '#rules/orders/codes/lists.ts';

const ALL_CURRENCIES = union('currency', CURRENCIES, CURRENCIES_EN);

/** By the element, where it matters with the one that it stands in, or by the attribute. Whether the code may stand there the rules decide. */
const LISTS: Readonly<Record<string, CodeList>> = {
  '@currencyID': ALL_CURRENCIES,
  'cbc:DocumentCurrencyCode': ALL_CURRENCIES,
  'cbc:TaxCurrencyCode': ALL_CURRENCIES,
  'cbc:SourceCurrencyCode': ALL_CURRENCIES,
  'cbc:TargetCurrencyCode': ALL_CURRENCIES,
  '@unitCode': UNITS,
  '@listID': ITEM_CLASSIFICATIONS,
  '@mimeCode': union('media type', MEDIA_TYPES, MEDIA_TYPES_ORDERS),
  'cbc:IdentificationCode': COUNTRIES,
  'cbc:InvoiceTypeCode': INVOICE_TYPES,
  'cbc:PaymentMeansCode': PAYMENT_MEANS,
  'cbc:AllowanceChargeReasonCode': CHARGE_REASONS,
  'cbc:TaxExemptionReasonCode': EXEMPTION_REASONS,
  'cac:TaxCategory/cbc:ID': VAT_CATEGORIES,
  'cac:ClassifiedTaxCategory/cbc:ID': VAT_CATEGORIES,
  'cbc:OrderResponseCode': RESPONSES,
  'cbc:ResponseCode': INVOICE_STATUSES,
  'cbc:ActionCode': CATALOGUE_ACTIONS,
  'cbc:DocumentTypeCode': ITEM_DOCUMENT_TYPES,
};

const BY_SMALL_LETTERS = new Map<CodeList, ReadonlyMap<string, string>>();

/** The code of the list for the first of these places that has one; undefined where the list has none like it, or the very one that is stated. */
export function codeMeantBy(stated: string, places: readonly string[]): string | undefined {
  const place = places.find((each) => Object.hasOwn(LISTS, each));
  const list = place === undefined ? undefined : LISTS[place];
  if (!list || list.values.has(stated)) return undefined;
  return smallLettersOf(list).get(stated.trim().toLowerCase());
}

function smallLettersOf(list: CodeList): ReadonlyMap<string, string> {
  const known = BY_SMALL_LETTERS.get(list) ?? new Map([...list.values].map((value) => [value.toLowerCase(), value]));
  BY_SMALL_LETTERS.set(list, known);
  return known;
}
