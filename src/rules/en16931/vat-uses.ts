// Which VAT categories a document uses, and where: worked out once for all rules that ask.
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { isVat } from '#rules/common/tax-scheme.ts';
import { everywhere, fact, text, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** `unsigned` is of a cac:AllowanceCharge that is neither; `elsewhere` has no meaning in EN 16931. */
export type Kind = 'line' | 'allowance' | 'charge' | 'unsigned' | 'breakdown' | 'elsewhere';

/** Categories that stand at the same kind of place, counted. */
export interface Use {
  readonly kind: Kind;
  readonly category: string;
  /** There is no white space around its code: some official rules do not forgive that. */
  readonly exact: boolean;
  /** Its tax scheme is VAT. */
  readonly vat: boolean;
  /** An allowance or charge of the document itself, not of a line. */
  readonly ofDocument: boolean;
  readonly count: number;
}

/** As many as the document has different ones: a thousand lines of one category are one use. */
export const usesOf = fact((root): readonly Use[] => {
  const uses = new Map<string, Use>();
  const add = (kind: Kind, node: XmlElement): void => {
    const category = trimmed(node, 'cbc:ID');
    const exact = (text(node, 'cbc:ID') ?? '') === category;
    const vat = isVat(node);
    const ofDocument = node.parent?.parent === root;
    const key = `${kind} ${vat} ${ofDocument} ${exact} ${category}`;
    uses.set(key, { kind, category, exact, vat, ofDocument, count: (uses.get(key)?.count ?? 0) + 1 });
  };
  for (const node of everywhere(root, 'cac:ClassifiedTaxCategory')) add('line', node);
  for (const node of everywhere(root, 'cac:TaxCategory')) add(kindOf(node, root), node);
  return [...uses.values()];
});

function kindOf({ parent }: XmlElement, root: XmlElement): Kind {
  if (parent?.tag === ALLOWANCE_CHARGE) return isAllowance(parent) ? 'allowance' : isCharge(parent) ? 'charge' : 'unsigned';
  const total = parent?.tag === 'cac:TaxSubtotal' ? parent.parent : null;
  return total?.tag === 'cac:TaxTotal' && total.parent === root ? 'breakdown' : 'elsewhere';
}
