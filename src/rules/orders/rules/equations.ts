// Totals that have to be what the amounts in them add up to.
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, fact, has, number, numbers } from '#rules/engine/select.ts';
import { type Decimal, equal, minus, plus, rounded, shown, sum, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Amounts of a monetary total. */
export const NET = 'cbc:LineExtensionAmount';
export const WITHOUT_TAX = 'cbc:TaxExclusiveAmount';
export const WITH_TAX = 'cbc:TaxInclusiveAmount';
export const ALLOWANCES = 'cbc:AllowanceTotalAmount';
export const CHARGES = 'cbc:ChargeTotalAmount';
export const TO_PAY = 'cbc:PayableAmount';

/** An amount; undefined when it is not there. */
export type Figure = (node: XmlElement, root: XmlElement) => Decimal | undefined;

interface Term {
  readonly words: string;
  readonly sign: '+' | '-';
  readonly of: Figure;
}

export interface Equation {
  readonly words: string;
  /** Where the total stands, below the node. */
  readonly path: string;
  readonly stated: Figure;
  readonly terms: readonly Term[];
  /** Whether it has to hold at all. */
  readonly asked?: Test;
}

export const given =
  (path: string): Figure =>
  (node) =>
    number(node, path);

export const orZero =
  (path: string): Figure =>
  (node) =>
    has(node, path) ? number(node, path) : ZERO;

/** The sum of amounts of the whole document, to the cent. */
export const summed = (path: string, counts: (parent: XmlElement) => boolean = () => true): Figure => {
  const [above, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  const total = fact((root) =>
    rounded(
      sum(
        all(root, above)
          .filter(counts)
          .flatMap((one) => numbers(one, name)),
      ),
    ),
  );
  return (_node, root) => total(root);
};

export function equation(id: string, { words, path, stated, terms, asked }: Equation): Rule {
  const expectedOf: Figure = (node, root) => terms.reduce<Decimal | undefined>((so, term) => added(so, term, node, root), ZERO);
  const holds: Test = (node, root) => {
    if (asked && !asked(node, root)) return true;
    const [total, expected] = [stated(node, root), expectedOf(node, root)];
    return total !== undefined && expected !== undefined && equal(total, expected);
  };
  const sentence = (node: XmlElement, root: XmlElement): string => {
    const total = stated(node, root);
    const sum = sumInWords(terms, expectedOf(node, root), node, root);
    if (!total) return `The ${words} is not given, although ${sum}: add ${path}.`;
    return `The ${words} is ${shown(total)} but ${sum}: correct ${path} or the amounts it adds up.`;
  };
  return rule(id, holds, sentence, path);
}

function added(so: Decimal | undefined, { sign, of }: Term, node: XmlElement, root: XmlElement): Decimal | undefined {
  const next = of(node, root);
  if (!so || !next) return undefined;
  return sign === '+' ? plus(so, next) : minus(so, next);
}

/** 'lines 300.00 - allowances 20.00 = 280.00'; what adds nothing is left out. */
function sumInWords(terms: readonly Term[], expected: Decimal | undefined, node: XmlElement, root: XmlElement): string {
  const figures = terms.map(({ words, sign, of }) => ({ words, sign, figure: of(node, root) }));
  const [first, ...others] = figures.filter(({ figure }, at) => at === 0 || figure?.units !== 0n);
  if (!first) return '';
  if (others.length === 0) return `${first.words} is ${told(first.figure)}`;
  const added = others.map(({ words, sign, figure }) => `${sign} ${words} ${told(figure)}`);
  return `${first.words} ${told(first.figure)} ${added.join(' ')} = ${told(expected)}`;
}

function told(figure: Decimal | undefined): string {
  return figure ? shown(figure) : '(missing)';
}
