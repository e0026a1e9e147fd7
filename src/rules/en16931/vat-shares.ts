// How much of a document is to be taxed in each VAT category, and at each rate of it: worked out in one pass over the lines.
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { all, everywhere, fact, has, number, trimmed } from '#rules/engine/select.ts';
import { type Decimal, minus, plus, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { LINE_TAGS } from './places.ts';

export interface Share {
  /** Net amounts of the lines, by their tag. */
  readonly lines: Map<string, Decimal>;
  /** Those of the document. */
  allowances: Decimal;
  charges: Decimal;
  /** An allowance or charge is in it, wherever that stands. */
  adjusted: boolean;
}

/** The share of a category at any rate, at one, or without one. Whether its tax is VAT is not asked, as the official rules do not. */
export function shareOf(root: XmlElement, category: string, rate?: Decimal | 'unrated'): Readonly<Share> {
  return sharesOf(root).get(keyOf(category, rate)) ?? emptyShare();
}

/** What is to be taxed: the lines of one kind, less allowances, plus charges. */
export function taxable({ lines, allowances, charges }: Readonly<Share>, lineTag: string): Decimal {
  return plus(minus(lines.get(lineTag) ?? ZERO, allowances), charges);
}

const sharesOf = fact((root) => {
  const shares = new Map<string, Share>();
  for (const line of root.children) {
    if (!LINE_TAGS.some((tag) => tag === line.tag)) continue;
    const net = number(line, 'cbc:LineExtensionAmount') ?? ZERO;
    for (const { lines } of sharesAt(shares, all(line, 'cac:Item/cac:ClassifiedTaxCategory'))) {
      lines.set(line.tag, plus(lines.get(line.tag) ?? ZERO, net));
    }
  }
  for (const node of everywhere(root, ALLOWANCE_CHARGE)) {
    const amount = node.parent === root ? (number(node, 'cbc:Amount') ?? ZERO) : ZERO;
    for (const share of sharesAt(shares, all(node, 'cac:TaxCategory'))) {
      share.adjusted = true;
      if (isAllowance(node)) share.allowances = plus(share.allowances, amount);
      if (isCharge(node)) share.charges = plus(share.charges, amount);
    }
  }
  return shares;
});

/**
 * What these categories of one line, allowance or charge count for: mostly there is one, and it counts for itself and for its rate. Where
 * there are more, each counts for every rate: the official rules ask for the code and for the rate, not for both in one place.
 */
function sharesAt(shares: Map<string, Share>, categories: readonly XmlElement[]): Share[] {
  const rates = categories.flatMap((category) => number(category, 'cbc:Percent') ?? (has(category, 'cbc:Percent') ? [] : 'unrated'));
  const keys = new Set<string>();
  for (const category of categories) {
    const code = trimmed(category, 'cbc:ID');
    for (const rate of [undefined, ...rates]) keys.add(keyOf(code, rate));
  }
  return [...keys].map((key) => {
    const share = shares.get(key) ?? emptyShare();
    shares.set(key, share);
    return share;
  });
}

function emptyShare(): Share {
  return { lines: new Map(), allowances: ZERO, charges: ZERO, adjusted: false };
}

/** 25 and 25.00 are one rate. */
function keyOf(category: string, rate: Decimal | 'unrated' | undefined): string {
  if (!rate || rate === 'unrated') return rate ? `${category} ${rate}` : category;
  let { units, scale } = rate;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale--;
  }
  return `${category} ${units}/${scale}`;
}
