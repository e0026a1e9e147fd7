// PINT, the international invoice, and its jurisdictions.
import { latestRuleSet } from '#rules/common/latest.ts';
import { type CodeList, codeList } from '#rules/engine/codes.ts';
import type { Pattern, RuleSet } from '#rules/engine/rule.ts';
import { AE } from '#rules/pint/ae/patterns.ts';
import { AUNZ, AUNZ_SELF_BILLING } from '#rules/pint/aunz/patterns.ts';
import { documentTypes } from '#rules/pint/base/codes.ts';
import { basePatterns } from '#rules/pint/base/patterns.ts';
import { EU, EU_EN } from '#rules/pint/eu/patterns.ts';
import { JP, JP_SELF_BILLING, JP_WITHOUT_TAX } from '#rules/pint/jp/patterns.ts';
import { MY, MY_SELF_BILLING } from '#rules/pint/my/patterns.ts';
import { SG } from '#rules/pint/sg/patterns.ts';

const types = (values: string): CodeList => codeList('type code (UNTDID 1001)', values);

/** The base, with the types of invoices and of credit notes that a jurisdiction knows, under the id that it gives them. */
function edition(id: string, invoices: string, creditNotes?: string): readonly Pattern[] {
  return basePatterns(documentTypes(id, types(invoices), creditNotes === undefined ? undefined : types(creditNotes)));
}

const BASE = basePatterns();

export const PINT: readonly RuleSet[] = [
  latestRuleSet('pint', BASE),
  latestRuleSet('pint-ae/base', edition('ibr-cl-01', '380 480', '381 81')),
  latestRuleSet('pint-ae-sb/base', edition('ibr-cl-01', '389 480', '261 81')),
  latestRuleSet('pint-ae/jur', AE),
  latestRuleSet('pint-ae-sb/jur', AE),
  latestRuleSet('pint-sg/base', BASE),
  latestRuleSet('pint-sg/jur', SG),
  latestRuleSet('pint-aunz/base', BASE),
  latestRuleSet('pint-aunz/jur', AUNZ),
  latestRuleSet('pint-aunz-sb/jur', AUNZ_SELF_BILLING),
  latestRuleSet('pint-aunz-sb/base', edition('ibr-cl-01-aunz-sb', '389', '261')),
  latestRuleSet('pint-jp/base', BASE),
  latestRuleSet('pint-jp/jur', JP),
  latestRuleSet('pint-jp-ntr/jur', JP_WITHOUT_TAX),
  latestRuleSet('pint-jp-sb/jur', JP_SELF_BILLING),
  latestRuleSet('pint-jp-ntr/base', edition('ibr-cl-01-jp-ntr', '480')),
  latestRuleSet('pint-jp-sb/base', edition('ibr-cl-01-jp-sb', '389')),
  latestRuleSet('pint-my/base', BASE),
  latestRuleSet('pint-my/jur', MY),
  latestRuleSet('pint-my-sb/jur', MY_SELF_BILLING),
  latestRuleSet('pint-my-sb/base', edition('ibr-cl-01', '389', '261')),
  latestRuleSet('pint-eu/base', BASE),
  latestRuleSet('pint-eu/en', EU_EN),
  latestRuleSet('pint-eu/jur', EU),
];
