// Items that have to be recognisable.
import { type Rule, rule } from '#rules/engine/rule.ts';
import { has } from '#rules/engine/select.ts';

/** There is the seller's number of the item or a standard one; `item` is the path to it. */
export function identifiedItem(id: string, item = '.'): Rule {
  const below = item === '.' ? '' : `${item}/`;
  return rule(
    id,
    (node) => has(node, `${below}cac:StandardItemIdentification/cbc:ID`) || has(node, `${below}cac:SellersItemIdentification/cbc:ID`),
    "The item has neither the seller's number nor a standard one: add cac:SellersItemIdentification/cbc:ID or cac:StandardItemIdentification/cbc:ID.",
    item,
  );
}
