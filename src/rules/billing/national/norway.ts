// Norway: the numbers of a Norwegian seller.
import { countriesOf } from '#rules/billing/countries.ts';
import { isNorwegianNumber } from '#rules/common/check-digits.ts';
import { SELLER } from '#rules/en16931/places.ts';
import { shown } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, rule } from '#rules/engine/rule.ts';
import { all, normalized, stringOf, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

export const NORWAY: Pattern = [
  context(SELLER, (_node, root) => countriesOf(root).seller === 'NO', [
    advice(
      'NO-R-002',
      (party) => numbersUnder(party, 'TAX').some((number) => normalized(number) === 'Foretaksregisteret'),
      "Most Norwegian sellers must say that they are in the register of companies: add a cac:PartyTaxScheme with cbc:CompanyID 'Foretaksregisteret' and the tax scheme TAX.",
    ),
    rule(
      'NO-R-001',
      (party) => norwegianNumber(party) === undefined || numbersUnder(party, 'VAT').some(isVatNumber),
      (party) =>
        `'${shown(norwegianNumber(party) ?? '')}' is no Norwegian VAT number: write NO, the nine digits of the organisation number and MVA into cbc:CompanyID.`,
      (party) => all(party, 'cac:PartyTaxScheme/cbc:CompanyID').find((number) => stringOf(number) === norwegianNumber(party)),
    ),
  ]),
];

function numbersUnder(party: XmlElement, scheme: string): readonly string[] {
  const schemes = all(party, 'cac:PartyTaxScheme').filter((one) => trimmed(one, 'cac:TaxScheme/cbc:ID') === scheme);
  return schemes.flatMap((one) => texts(one, 'cbc:CompanyID'));
}

function norwegianNumber(party: XmlElement): string | undefined {
  return numbersUnder(party, 'VAT').find((number) => number.startsWith('NO'));
}

function isVatNumber(number: string): boolean {
  return /^NO[0-9]{9}MVA$/.test(number) && isNorwegianNumber(number.slice(2, 11));
}
