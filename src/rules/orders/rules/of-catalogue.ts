// The rules of a catalogue.
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { has, number, text } from '#rules/engine/select.ts';
import { compare } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { identifiedItem } from './items.ts';
import { zeroOrMore, zeroOrMoreIfGiven } from './numbers.ts';
import { recognisable } from './parties.ts';
import { aroundPrice, endsAfterStart, liesWithin, ofCatalogue, ofLine, ofPrice } from './periods.ts';
import { rates } from './taxes.ts';

const MAXIMUM = 'cbc:MaximumOrderQuantity';
const MINIMUM = 'cbc:MinimumOrderQuantity';
const OF_LINE = 'cac:LineValidityPeriod';
const OF_PRICE = 'cac:Price/cac:ValidityPeriod';

function maximumIsNotBelowMinimum(line: XmlElement): boolean {
  if (!has(line, MAXIMUM) || !has(line, MINIMUM)) return true;
  const [maximum, minimum] = [number(line, MAXIMUM), number(line, MINIMUM)];
  return maximum !== undefined && minimum !== undefined && compare(maximum, minimum) >= 0;
}

export const CATALOGUE_RULES: readonly Context[] = [
  context('/Catalogue/cac:ValidityPeriod', [endsAfterStart('PEPPOL-T19-R001', 'catalogue', '.', (_node, root) => ofCatalogue(root))]),
  recognisable('PEPPOL-T19-R004', 'cac:SellerSupplierParty'),
  recognisable('PEPPOL-T19-R005', 'cac:ContractorCustomerParty'),
  context('cac:CatalogueLine', [
    zeroOrMoreIfGiven('PEPPOL-T19-R008', MAXIMUM),
    zeroOrMoreIfGiven('PEPPOL-T19-R009', MINIMUM),
    rule(
      'PEPPOL-T19-R010',
      maximumIsNotBelowMinimum,
      (line) =>
        `At most ${text(line, MAXIMUM)?.trim()} can be ordered but at least ${text(line, MINIMUM)?.trim()}: correct ${MAXIMUM} or ${MINIMUM}.`,
      MAXIMUM,
    ),
    liesWithin('PEPPOL-T19-R007', 'line', OF_LINE, ofLine, { words: 'catalogue', of: (_node, root) => ofCatalogue(root) }),
    endsAfterStart('PEPPOL-T19-R013', 'line', OF_LINE, ofLine),
  ]),
  context('cac:RequiredItemLocationQuantity', [
    zeroOrMore('PEPPOL-T19-R006', 'cac:Price/cbc:PriceAmount'),
    liesWithin('PEPPOL-T19-R011', 'price', OF_PRICE, ofPrice, { words: 'line', of: aroundPrice }),
    endsAfterStart('PEPPOL-T19-R016', 'price', OF_PRICE, ofPrice),
  ]),
  context('cac:ClassifiedTaxCategory', rates({ given: 'PEPPOL-T19-R014', standard: 'PEPPOL-T19-R015' })),
  context('cac:Item', [identifiedItem('PEPPOL-T19-R012')]),
];
