// The rules of EN 16931, the European semantic standard for invoices and credit notes, as CEN binds it to UBL 2.1.
//
// One file is one theme; each id of the official rules is a rule of its own, so that another edition takes the set over with
// `derived(EN16931.patterns, { drop, replace, add })`. A rule that replaces one keeps its context; one that is new comes with its own,
// `add: [[context('/Invoice | /CreditNote', [rule('BR-66', …)])]]`. BR-CL-01 is the one id that stands in two contexts.
import { latestRuleSet } from '#rules/common/latest.ts';
import type { RuleSet } from '#rules/engine/rule.ts';
import { ALLOWANCES } from './allowances.ts';
import { CARDINALITY } from './cardinality.ts';
import { CODE_RULES } from './code-rules.ts';
import { HEADER } from './header.ts';
import { LINES } from './lines.ts';
import { PARTIES } from './parties.ts';
import { PAYMENT } from './payment.ts';
import { TOTALS } from './totals.ts';
import { UNUSED } from './unused.ts';
import { VAT_BREAKDOWN } from './vat-breakdown.ts';
import { VAT_CATEGORY_RULES } from './vat-category-rules.ts';
import { VAT_EXCLUSIONS } from './vat-exclusions.ts';

export const EN16931: RuleSet = latestRuleSet('en16931', [
  HEADER,
  ...PARTIES,
  PAYMENT,
  LINES,
  ALLOWANCES,
  VAT_BREAKDOWN,
  ...VAT_CATEGORY_RULES,
  VAT_EXCLUSIONS,
  TOTALS,
  ...CARDINALITY,
  ...UNUSED,
  CODE_RULES,
]);
