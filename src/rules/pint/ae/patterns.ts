// The rules of the United Arab Emirates, for billing and self-billing alike.
import { codeList } from '#rules/engine/codes.ts';
import { coded, informational } from '#rules/engine/kinds.ts';
import { context, type Pattern } from '#rules/engine/rule.ts';
import { categoryContexts } from '#rules/pint/categories.ts';
import { CATEGORIES } from './categories.ts';
import { DOCUMENT } from './document.ts';
import { ADJUSTMENTS, ITEMS, LINES, PRICES } from './lines.ts';
import { NUMBER_CONTEXTS, OTHER_ADDRESSES, PARTY_CONTEXTS } from './parties.ts';

const CREDIT_REASONS = codeList('reason for a credit note', 'DL8.61.1.A DL8.61.1.B DL8.61.1.C DL8.61.1.D DL8.61.1.E VD');
const FREQUENCIES = codeList('frequency of billing', 'DLY WKY Q15 MTH Q45 Q60 QTR YRL HYR OTH');
const TAX_CATEGORIES = codeList('tax category', 'S E O AE Z N');
const NATURES = codeList('nature of goods or services under reverse charge', 'DL8.48.8.2 DL8.48.8.1 DL8.48.3.1 DL8.48.3.2 DL8.48.3.3');

const CODES: Pattern = [
  context('cac:DiscrepancyResponse/cbc:ResponseCode', [coded('ibr-001-ae', CREDIT_REASONS)]),
  // Their context is an attribute, which the official rules never come by; ibr-010-ae and ibr-012-ae ask for the same country.
  context('cac:PartyLegalEntity/cbc:CompanyID', [informational('ibr-011-ae'), informational('ibr-013-ae')]),
  context('cac:InvoicePeriod/cbc:DescriptionCode', [coded('ibr-005-ae', FREQUENCIES)]),
  context('cac:TaxCategory/cbc:ID | cac:ClassifiedTaxCategory/cbc:ID', [coded('ibr-139-ae', TAX_CATEGORIES)]),
  context('cbc:NatureCode', [coded('ibr-006-ae', NATURES)]),
];

const MODEL: Pattern = [
  ...PARTY_CONTEXTS,
  ...PRICES,
  OTHER_ADDRESSES,
  ...ADJUSTMENTS,
  ...LINES,
  DOCUMENT,
  ...ITEMS,
  ...CATEGORIES.flatMap(categoryContexts),
  ...NUMBER_CONTEXTS,
];

export const AE: readonly Pattern[] = [MODEL, CODES];
