// Amounts: one currency for the document, two digits after the point.
import { documentCurrencies } from '#rules/common/currencies.ts';
import { shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule } from '#rules/engine/rule.ts';
import { isBelow, stringOf } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

interface AmountIds {
  readonly currency: string;
  readonly digits: string;
}

/** All amounts of a document: those of these names wherever they are, and those of its totals. */
export function amounts(names: readonly string[], totals: string, { currency, digits }: AmountIds): Context {
  return context([...names, `${totals}/cbc:*`].join(' | '), [
    rule(currency, (node, root) => !node.attributes.has('currencyID') || isInCurrency(node, root), currencySentence),
    rule(
      digits,
      (node) => isBelow(node, 'cac:Price') || digitsOf(node) <= 2,
      (node) => `The amount '${shown(stringOf(node))}' has more than two digits after the point: round it (only prices may have more).`,
    ),
  ]);
}

/** A price states a currency, that of the document. */
export function priceCurrency(id: string): Rule {
  return rule(id, isInCurrency, currencySentence);
}

function isInCurrency({ attributes }: XmlElement, root: XmlElement): boolean {
  const stated = attributes.get('currencyID');
  return stated !== undefined && documentCurrencies(root).includes(stated);
}

function currencySentence({ tag, attributes }: XmlElement, root: XmlElement): string {
  const stated = shown(attributes.get('currencyID') ?? '');
  const [document = ''] = documentCurrencies(root);
  if (document === '') return `${tag} is in ${stated || 'no currency'}, but the document states none: add cbc:DocumentCurrencyCode.`;
  return `${tag} is in ${stated || 'no currency'}, the document in ${shown(document)}: write the same currency into @currencyID and cbc:DocumentCurrencyCode.`;
}

/** All that follows the point counts, white space too. */
function digitsOf(node: XmlElement): number {
  const value = stringOf(node);
  const point = value.indexOf('.');
  return point < 0 ? 0 : value.length - point - 1;
}
