// Which tax categories a document uses, and where: counted once for all rules that ask.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { everywhere, fact, normalized, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

type Place = 'breakdown' | 'line' | 'allowance' | 'charge' | 'elsewhere';

/** Categories of one code, tax and kind of place, counted. */
export interface Use {
  readonly place: Place;
  readonly code: string;
  /** The tax schemes that it names, in capitals. */
  readonly schemes: readonly string[];
  readonly count: number;
}

const usesOf = fact((root): readonly Use[] => {
  const uses = new Map<string, Use>();
  const add = (place: Place, node: XmlElement): void => {
    const code = codeOf(node);
    const schemes = schemesOf(node);
    const key = [place, code, ...schemes].join(' ');
    uses.set(key, { place, code, schemes, count: (uses.get(key)?.count ?? 0) + 1 });
  };
  for (const node of everywhere(root, 'cac:ClassifiedTaxCategory')) add('line', node);
  for (const node of everywhere(root, 'cac:TaxCategory')) add(placeOf(node, root), node);
  return [...uses.values()];
});

export function countOf(root: XmlElement, fits: (use: Use) => boolean): number {
  return usesOf(root).reduce((sum, use) => (fits(use) ? sum + use.count : sum), 0);
}

export function codeOf(category: XmlElement): string {
  return trimmed(category, 'cbc:ID');
}

/** The category belongs to this tax, in whatever case that is written. */
export function isUnder(category: XmlElement, scheme: string): boolean {
  return schemesOf(category).includes(scheme);
}

function schemesOf(category: XmlElement): readonly string[] {
  return texts(category, 'cac:TaxScheme/cbc:ID').map((id) => normalized(id).toUpperCase());
}

function placeOf({ parent }: XmlElement, root: XmlElement): Place {
  if (parent && isAllowance(parent)) return 'allowance';
  if (parent && isCharge(parent)) return 'charge';
  const total = parent?.tag === 'cac:TaxSubtotal' ? parent.parent : null;
  return total?.tag === 'cac:TaxTotal' && total.parent === root ? 'breakdown' : 'elsewhere';
}
