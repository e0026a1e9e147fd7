// How the buyer can tell what a document is for.
import { type Rule, rule } from '#rules/engine/rule.ts';
import { has } from '#rules/engine/select.ts';

export function buyerReference(id: string): Rule {
  return rule(
    id,
    (root) => has(root, 'cbc:BuyerReference') || has(root, 'cac:OrderReference/cbc:ID'),
    "Nothing tells the buyer what the document is for: add cbc:BuyerReference, or the order's number in cac:OrderReference/cbc:ID.",
  );
}
