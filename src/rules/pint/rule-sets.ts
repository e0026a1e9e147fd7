// PINT, the international invoice, and its jurisdictions.
import { type CodeList, codeList } from '#rules/codes.ts';
import { latestRelease } from '#rules/common/latest.ts';
import type { Pattern, RuleSet } from '#rules/engine/rule.ts';
import { AE } from '#rules/pint/ae/patterns.ts';
import { AUNZ, AUNZ_SELF_BILLING } from '#rules/pint/aunz/patterns.ts';
import { documentTypes } from '#rules/pint/base/codes.ts';
import { basePatterns } from '#rules/pint/base/patterns.ts';
import { EU, EU_EN } from '#rules/pint/eu/patterns.ts';
import { JP, JP_SELF_BILLING, JP_WITHOUT_TAX } from '#rules/pint/jp/patterns.ts';
import { MY, MY_SELF_BILLING } from '#rules/pint/my/patterns.ts';
import { SG } from '#rules/pint/sg/patterns.ts';

function set(name: string, patterns: readonly Pattern[]): RuleSet {
  return { name, ...latestRelease(name), patterns };
}

const types = (values: string): CodeList => codeList('type code (UNTDID 1001)', values);

/** The base, with the types of invoices and of credit notes that a jurisdiction knows, under the id that it gives them. */
function edition(id: string, invoices: string, creditNotes?: string): readonly Pattern[] {
  return basePatterns(documentTypes(id, types(invoices), creditNotes === undefined ? undefined : types(creditNotes)));
}

const BASE = basePatterns();

export const PINT: readonly RuleSet[] = [
  set('pint', BASE),
  set('pint-ae/base', edition('ibr-cl-01', '380 480', '381 81')),
  set('pint-ae-sb/base', edition('ibr-cl-01', '389 480', '261 81')),
  set('pint-ae/jur', AE),
  set('pint-ae-sb/jur', AE),
  set('pint-sg/base', BASE),
  set('pint-sg/jur', SG),
  set('pint-aunz/base', BASE),
  set('pint-aunz/jur', AUNZ),
  set('pint-aunz-sb/jur', AUNZ_SELF_BILLING),
  set('pint-aunz-sb/base', edition('ibr-cl-01-aunz-sb', '389', '261')),
  set('pint-jp/base', BASE),
  set('pint-jp/jur', JP),
  set('pint-jp-ntr/jur', JP_WITHOUT_TAX),
  set('pint-jp-sb/jur', JP_SELF_BILLING),
  set('pint-jp-ntr/base', edition('ibr-cl-01-jp-ntr', '480')),
  set('pint-jp-sb/base', edition('ibr-cl-01-jp-sb', '389')),
  set('pint-my/base', BASE),
  set('pint-my/jur', MY),
  set('pint-my-sb/jur', MY_SELF_BILLING),
  set('pint-my-sb/base', edition('ibr-cl-01', '389', '261')),
  set('pint-eu/base', BASE),
  set('pint-eu/en', EU_EN),
  set('pint-eu/jur', EU),
];
