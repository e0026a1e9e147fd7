// The amounts of one subtotal of the VAT breakdown, and why it has none: -08, -09 and -10 of each VAT category.
import { isWithinOne } from '#rules/common/within-one.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { everywhere, has, number } from '#rules/engine/select.ts';
import { type Decimal, equal, shown, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { LINE_TAGS } from './places.ts';
import { isNearly, signedVatOn, vatOn } from './vat-breakdown.ts';
import type { Category } from './vat-categories.ts';
import { shareOf, taxable } from './vat-shares.ts';

const TAXABLE = '../cbc:TaxableAmount';
const TAX = '../cbc:TaxAmount';

/** -08: the taxable amount is that of the lines, allowances and charges in the category. */
export function taxableAmount(category: Category): Rule {
  const { code, ids, name } = category;
  const perRate = isPerRate(category);
  const holds = (node: XmlElement, root: XmlElement): boolean => {
    const rate = number(node, 'cbc:Percent');
    if (perRate && !rate) return true;
    const stated = number(node, TAXABLE);
    if (!stated) return false;
    const share = shareOf(root, code, perRate ? rate : undefined);
    return LINE_TAGS.some((tag) => {
      // The official rule of S takes a document with its share for one of either kind; those of the others ask for a line.
      const asked = code === 'S' ? share.lines.has(tag) || share.adjusted : everywhere(root, tag).length > 0;
      return asked && (perRate ? isWithinOne(stated, taxable(share, tag)) : equal(stated, taxable(share, tag)));
    });
  };
  const sentence = (node: XmlElement, root: XmlElement): string => {
    const rate = perRate ? number(node, 'cbc:Percent') : undefined;
    const stated = number(node, TAXABLE);
    const share = shareOf(root, code, rate);
    const tag = LINE_TAGS.find((each) => share.lines.has(each)) ?? LINE_TAGS[0];
    const net = shown(share.lines.get(tag) ?? ZERO);
    const due = shown(taxable(share, tag));
    const sum = share.adjusted
      ? `lines ${net} - allowances ${shown(share.allowances)} + charges ${shown(share.charges)} = ${due}`
      : `its lines add up to ${net}`;
    const what = `VAT category ${code} (${name})${rate ? ` at ${shown(rate, 0)} %` : ''}`;
    return `The taxable amount of ${what} is ${stated ? shown(stated) : 'not given'} but ${sum}: correct cbc:TaxableAmount, or the category of a line, allowance or charge.`;
  };
  return rule(`${ids}-08`, holds, sentence, TAXABLE);
}

/** -09: the VAT is what the rate makes of the taxable amount; nothing where the category has no rate of its own. */
export function taxAmount(category: Category): Rule {
  const { code, ids, name } = category;
  const perRate = isPerRate(category);
  const holds = (node: XmlElement): boolean => {
    const [tax, amount, rate] = figuresOf(node);
    if (!perRate) return tax !== undefined && equal(tax, ZERO);
    return tax !== undefined && amount !== undefined && rate !== undefined && isNearly(tax, vatOn(amount, rate));
  };
  const sentence = (node: XmlElement): string => {
    const [tax, amount, rate] = figuresOf(node);
    const stated = `The VAT in category ${code} (${name}) is ${tax ? shown(tax) : 'not given'}`;
    if (!perRate) return `${stated} but must be 0: correct cbc:TaxAmount, or choose the category that fits.`;
    if (!amount || !rate)
      return `${stated}, but without a rate and a taxable amount it cannot be right: give cbc:TaxableAmount and cac:TaxCategory/cbc:Percent.`;
    return `${stated} but ${shown(rate, 0)} % of ${shown(amount)} is ${shown(signedVatOn(amount, rate))}: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.`;
  };
  return rule(`${ids}-09`, holds, sentence, TAX);
}

function figuresOf(node: XmlElement): readonly (Decimal | undefined)[] {
  return [TAX, TAXABLE, 'cbc:Percent'].map((path) => number(node, path));
}

/** -10: a reason why no VAT is charged is there where it is needed, and only there. */
export function exemption({ code, ids, name, exempt }: Category): Rule {
  const isReasoned = (node: XmlElement): boolean => has(node, 'cbc:TaxExemptionReason') || has(node, 'cbc:TaxExemptionReasonCode');
  const sentence = exempt
    ? `VAT category ${code} (${name}) needs the reason why no VAT is charged: add cbc:TaxExemptionReason or cbc:TaxExemptionReasonCode to the subtotal's cac:TaxCategory.`
    : `VAT category ${code} (${name}) is not exempt, but has a reason for it: take out cbc:TaxExemptionReason and cbc:TaxExemptionReasonCode.`;
  return rule(`${ids}-10`, (node) => isReasoned(node) === exempt, sentence);
}

function isPerRate({ breakdown }: Category): boolean {
  return breakdown !== 'exactly once';
}
