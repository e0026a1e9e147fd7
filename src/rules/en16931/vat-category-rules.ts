// The rules that EN 16931 has for every VAT category alike: made from the table of categories, -01 to -10 of each.
import { counted } from '#domain/amounts.ts';
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { isVat } from '#rules/common/tax-scheme.ts';
import { shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Finder, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { has, nearestTo, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { DOCUMENT } from './places.ts';
import { taxNumbersOf } from './tax-numbers.ts';
import { exemption, taxAmount, taxableAmount } from './vat-amounts.ts';
import { CATEGORIES, type Category, type Need } from './vat-categories.ts';
import { type Kind, type Use, usesOf } from './vat-uses.ts';

const LINE_CATEGORY = 'cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory | cac:CreditNoteLine/cac:Item/cac:ClassifiedTaxCategory';
const SUBTOTAL_CATEGORY = '/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory';
const ADJUSTMENT_CATEGORY = 'cac:AllowanceCharge/cac:TaxCategory';

/** Kinds of use that call for a subtotal of their category. */
const TAXED: readonly Kind[] = ['line', 'allowance', 'charge', 'unsigned'];

/** The number that ends the id of a rule, and the kind of use that it is about, in the words of a sentence. */
const KINDS = [
  { kind: 'line', what: 'A line', numbering: '02', rate: '05' },
  { kind: 'allowance', what: 'An allowance', numbering: '03', rate: '06' },
  { kind: 'charge', what: 'A charge', numbering: '04', rate: '07' },
] as const;

type KindRow = (typeof KINDS)[number];

/** Categories exclude each other, so a node is asked by one context of each pattern. */
export const VAT_CATEGORY_RULES: readonly Pattern[] = [
  [
    context(
      DOCUMENT,
      CATEGORIES.flatMap((category) => [broken(category), ...KINDS.map((kind) => numbered(category, kind))]),
    ),
  ],
  CATEGORIES.map((category) =>
    context(SUBTOTAL_CATEGORY, inCategory(category.code), [taxableAmount(category), taxAmount(category), exemption(category)]),
  ),
  CATEGORIES.map((category) => rated(LINE_CATEGORY, category, KINDS[0])),
  CATEGORIES.flatMap((category) => [
    rated(ADJUSTMENT_CATEGORY, category, KINDS[1], ({ parent }) => parent !== null && isAllowance(parent)),
    rated(ADJUSTMENT_CATEGORY, category, KINDS[2], ({ parent }) => parent !== null && isCharge(parent)),
  ]),
];

function inCategory(code: string, of: Test = () => true): Test {
  return (node, root) => trimmed(node, 'cbc:ID') === code && isVat(node) && of(node, root);
}

/** -01: what is in a category is in the VAT breakdown too, and nothing else is. */
function broken(category: Category): Rule {
  const { code, ids, name, breakdown } = category;
  const holds = (_node: XmlElement, root: XmlElement): boolean => {
    const uses = usesOf(root).filter((use) => use.category === code);
    if (breakdown !== 'exactly once') return isUsed(uses, category) === isInBreakdown(uses, category);
    const ofVat = uses.filter(({ vat }) => vat);
    return ofVat.length === 0 || subtotalsIn(ofVat) === 1;
  };
  const sentence = (_node: XmlElement, root: XmlElement): string => {
    const subtotals = subtotalsIn(usesOf(root).filter((use) => use.category === code));
    const wanted = breakdown === 'exactly once' ? 'one subtotal' : 'one subtotal for each rate';
    if (subtotals === 0)
      return `VAT category ${code} (${name}) is used, but is not in the VAT breakdown: add a cac:TaxTotal/cac:TaxSubtotal for it.`;
    return `The VAT breakdown has ${counted(subtotals, 'subtotal')} for VAT category ${code} (${name}): there must be ${wanted} when a line, allowance or charge is in it, and none otherwise.`;
  };
  return rule(`${ids}-01`, holds, sentence, 'cac:TaxTotal');
}

function isUsed(uses: readonly Use[], { breakdown }: Category): boolean {
  return uses.some(({ kind, vat }) => TAXED.includes(kind) && (vat || breakdown === 'once a rate, any scheme'));
}

/**
 * Once something is in category L or M, the official rules want the code of a subtotal without white space around it, and that of
 * L does not ask for the scheme any more.
 */
function isInBreakdown(uses: readonly Use[], category: Category): boolean {
  const standard = category.breakdown === 'once a rate, any scheme';
  const used = isUsed(uses, category);
  const anyScheme = standard || (category.breakdown === 'once a rate, any scheme below it' && used);
  const exactly = used && !standard;
  return uses.some(({ kind, vat, exact }) => kind === 'breakdown' && (vat || anyScheme) && (exact || !exactly));
}

function subtotalsIn(uses: readonly Use[]): number {
  return uses.reduce((count, use) => (use.kind === 'breakdown' ? count + use.count : count), 0);
}

/** -02 to -04: seller and buyer are known to the tax office as the category wants it. */
function numbered({ code, ids, name, needs, breakdown }: Category, { kind, what, numbering }: KindRow): Rule {
  // The official rule of lines in category S counts those of another tax too, but does not accept them.
  const anyScheme = breakdown === 'once a rate, any scheme' && kind === 'line';
  const unmet = (root: XmlElement): Need | undefined => {
    // Category O asks the document's own allowances and charges, the others those of lines too.
    const counts = ({ ofDocument }: Use): boolean => code !== 'O' || kind === 'line' || ofDocument;
    const uses = usesOf(root).filter((use) => use.kind === kind && use.category === code && counts(use));
    if (!uses.some(({ vat }) => vat)) return anyScheme && uses.length > 0 ? UNDER_VAT : undefined;
    return needs.find((need) => !need.holds(taxNumbersOf(root)));
  };
  const sentence = (_node: XmlElement, root: XmlElement): string => {
    const { problem, remedy } = unmet(root) ?? UNDER_VAT;
    return `${what} is in VAT category ${code} (${name}), but ${problem}: ${remedy}.`;
  };
  const at: Finder = (node, root) => nearestTo(node, unmet(root)?.at ?? '');
  return rule(`${ids}-${numbering}`, (_node, root) => unmet(root) === undefined, sentence, at);
}

/** Lines of a category under another tax, and none under VAT. */
const UNDER_VAT: Need = {
  holds: () => false,
  problem: 'no line says that its tax is VAT',
  remedy: 'write VAT into cac:TaxScheme/cbc:ID of its cac:ClassifiedTaxCategory',
  at: '',
};

/** -05 to -07: the rate is one that the category allows. */
function rated(path: string, { code, ids, name, rate }: Category, { what, rate: suffix }: KindRow, of?: Test): Context {
  const holds = (node: XmlElement): boolean => {
    if (!rate) return !has(node, 'cbc:Percent');
    return texts(node, 'cbc:Percent').some(rate.allows);
  };
  const sentence = (node: XmlElement): string => {
    const percent = shown(trimmed(node, 'cbc:Percent'));
    if (!rate)
      return `${what} is in VAT category ${code} (${name}) and has a rate: take out cbc:Percent, or choose the category that fits.`;
    return `${what} is in VAT category ${code} (${name}) with ${percent === '' ? 'no rate' : `a rate of ${percent} %`}: make cbc:Percent ${rate.wanted}, or choose the category that fits.`;
  };
  return context(path, inCategory(code, of), [rule(`${ids}-${suffix}`, holds, sentence, 'cbc:Percent')]);
}
