// Identifiers of parties by their scheme, as PINT asks for them: fatal, and a little more forgiving than Peppol's own rules.
import {
  ABN,
  BELGIAN,
  CODICE_FISCALE,
  DANISH_VAT,
  GLN,
  type Identifier,
  IPA,
  NORWEGIAN,
  PARTITA_IVA,
  schemed,
  wellFormed,
} from '#rules/common/identifiers.ts';
import type { Context } from '#rules/engine/rule.ts';

/** Any ten characters that are a number; the check digit is not looked at. */
const SWEDISH: Identifier = {
  name: 'a Swedish organisation number',
  form: '10 digits',
  fits: (value) => value.length === 10 && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value),
};

export const IDENTIFIERS: readonly Context[] = [
  schemed(['0088'], wellFormed('ibr-068', GLN)),
  schemed(['0007'], wellFormed('ibr-127', SWEDISH)),
  schemed(['0192'], wellFormed('ibr-069', NORWEGIAN)),
  schemed(['0184'], wellFormed('ibr-070', DANISH_VAT)),
  schemed(['0208'], wellFormed('ibr-113', BELGIAN)),
  schemed(['0201'], wellFormed('ibr-114', IPA)),
  schemed(['0210', '9907'], wellFormed('ibr-115', CODICE_FISCALE)),
  schemed(['0211', '9906'], wellFormed('ibr-116', PARTITA_IVA)),
  schemed(['0151'], wellFormed('ibr-120', ABN)),
];
