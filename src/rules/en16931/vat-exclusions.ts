// What goes together with single VAT categories: split payment, not subject to VAT, intra-community supply.
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { everywhere, fact, has, stringOf, text } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { DOCUMENT } from './places.ts';
import { type Kind, type Use, usesOf } from './vat-uses.ts';

const PLACE_OF_DELIVERY = 'cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode';
const ADJUSTMENTS: readonly Kind[] = ['allowance', 'charge', 'unsigned'];

export const VAT_EXCLUSIONS: Pattern = [
  context(DOCUMENT, [
    rule(
      'BR-B-01',
      (_node, root) => !uses(root, () => true, 'B') || isWithinItaly(root),
      'VAT category B (split payment) exists in Italy only, but the document names another country: choose the category that fits.',
    ),
    rule(
      'BR-B-02',
      (_node, root) => !(uses(root, isOfDocument, 'B') && uses(root, isOfDocument, 'S')),
      'The document mixes the VAT categories B (split payment) and S (standard rate): use one of them.',
    ),
    alone('BR-O-11', 'breakdown', 'the VAT breakdown has another category beside it'),
    alone('BR-O-12', 'line', 'a line is in another category'),
    alone('BR-O-13', 'allowance', 'an allowance is in another category'),
    alone('BR-O-14', 'charge', 'a charge is in another category'),
    rule(
      'BR-IC-11',
      (node, root) =>
        !isInBreakdown(root, 'K') ||
        (text(node, 'cac:Delivery/cbc:ActualDeliveryDate') ?? '').length > 1 ||
        has(node, 'cac:InvoicePeriod/*'),
      'An intra-community supply (VAT category K) needs its date: add cac:Delivery/cbc:ActualDeliveryDate or cac:InvoicePeriod.',
      'cac:Delivery/cbc:ActualDeliveryDate',
    ),
    rule(
      'BR-IC-12',
      (node, root) => !isInBreakdown(root, 'K') || (text(node, PLACE_OF_DELIVERY) ?? '').length > 1,
      `An intra-community supply (VAT category K) needs the country to which it went: add ${PLACE_OF_DELIVERY}.`,
      PLACE_OF_DELIVERY,
    ),
  ]),
];

const isWithinItaly = fact((root) => everywhere(root, 'cbc:IdentificationCode').every((code) => stringOf(code) === 'IT'));

function isInBreakdown(root: XmlElement, code: string): boolean {
  return usesOf(root).some(({ kind, category, vat }) => kind === 'breakdown' && vat && category === code);
}

/** The official rules of split payment take the code as it stands. */
function uses(root: XmlElement, counts: (use: Use) => boolean, code: string): boolean {
  return usesOf(root).some((use) => use.category === code && use.exact && counts(use));
}

function isOfDocument({ kind, ofDocument }: Use): boolean {
  return kind === 'line' || kind === 'breakdown' || (ofDocument && ADJUSTMENTS.includes(kind));
}

/** With a subtotal of category O nothing may be in any other one. */
function alone(id: string, kind: Kind, problem: string): Rule {
  const holds = (_node: XmlElement, root: XmlElement): boolean =>
    !isInBreakdown(root, 'O') || !usesOf(root).some((use) => use.kind === kind && use.vat && use.category !== 'O');
  return rule(
    id,
    holds,
    `The document is not subject to VAT (category O), but ${problem}: put everything into category O, or take its subtotal out.`,
    'cac:TaxTotal',
  );
}
