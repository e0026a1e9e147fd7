// The rules of both order responses.
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { count, has, text, trimmed } from '#rules/engine/select.ts';
import { priceCurrency } from './amounts.ts';
import { LINE, uniqueLine } from './lines.ts';
import { registered } from './parties.ts';

const LINES = 'cac:OrderLine';

export function responseRules(transaction: 'T76' | 'T116'): readonly Context[] {
  const id = (number: string): string => `PEPPOL-${transaction}-${number}`;
  return [
    context('cbc:PriceAmount', [priceCurrency(id('R005'))]),
    registered(id('R001'), 'cac:BuyerCustomerParty'),
    registered(id('R002'), 'cac:SellerSupplierParty'),
    context('cac:PromisedDeliveryPeriod', [
      rule(
        id('R004'),
        (node) => !has(node, 'cbc:StartDate') || !has(node, 'cbc:EndDate') || dateOf(node, 'cbc:EndDate') >= dateOf(node, 'cbc:StartDate'),
        (node) =>
          `The delivery is promised from ${dateOf(node, 'cbc:StartDate')} until ${dateOf(node, 'cbc:EndDate')}, which is earlier: correct one of the two dates.`,
        'cbc:EndDate',
      ),
    ]),
    context('cbc:OrderResponseCode', [
      rule(
        id('R007'),
        (node) => trimmed(node, '.') !== 'CA' || count(node, `../${LINES}`) > 0,
        'The order is accepted with changes (CA), but no line says which: add a cac:OrderLine, or take the code AP.',
      ),
      withoutLines(id('R008'), 'AP', 'is accepted'),
      withoutLines(id('R009'), 'RE', 'is rejected'),
      withoutLines(id('R010'), 'AB', 'is only acknowledged'),
    ]),
    context(LINE, [uniqueLine(id('R003'))]),
  ];
}

/** Dates are compared as texts, as the official rule does. */
function dateOf(period: Parameters<typeof text>[0], path: string): string {
  return text(period, path) ?? '';
}

function withoutLines(id: string, code: string, words: string) {
  return rule(
    id,
    (node) => trimmed(node, '.') !== code || !has(node, `../${LINES}`),
    `The order ${words} as a whole (${code}), so that no line may follow: take out cac:OrderLine, or take the code CA.`,
  );
}
