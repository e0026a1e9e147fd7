// Periods of catalogues: of the catalogue, of a line, of a price, each within the one around it.
import { shown } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { fact, first, text } from '#rules/engine/select.ts';
import { compare, type Decimal, decimalOf } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Days as numbers, 20260521; undefined for what is no day, which then fits nowhere. */
interface Period {
  readonly start: Decimal | undefined;
  readonly end: Decimal | undefined;
}

const ALWAYS: Period = { start: { units: 0n, scale: 0 }, end: { units: 99_999_999n, scale: 0 } };

export function dayOf(date: string | undefined): Decimal | undefined {
  return decimalOf(date?.replaceAll('-', ''));
}

/** What a period leaves open is that of the one around it. */
function periodOf(period: XmlElement | undefined, around: Period): Period {
  const [start, end] = ['cbc:StartDate', 'cbc:EndDate'].map((path) => (period ? text(period, path) : undefined));
  return {
    start: start === undefined ? around.start : dayOf(start),
    end: end === undefined ? around.end : dayOf(end),
  };
}

export const ofCatalogue = fact((root) => periodOf(first(root, 'cac:ValidityPeriod'), ALWAYS));

/** Kept, because a line may have many prices. */
const periodOfLine = fact((line) => first(line, 'cac:LineValidityPeriod'));

export function ofLine(line: XmlElement, root: XmlElement): Period {
  return periodOf(periodOfLine(line), ofCatalogue(root));
}

/** Of a cac:RequiredItemLocationQuantity. */
export function ofPrice(location: XmlElement, root: XmlElement): Period {
  return periodOf(first(location, 'cac:Price/cac:ValidityPeriod'), aroundPrice(location, root));
}

/** Of the line that the price is on. */
export function aroundPrice({ parent }: XmlElement, root: XmlElement): Period {
  return parent ? ofLine(parent, root) : ofCatalogue(root);
}

type PeriodOf = (node: XmlElement, root: XmlElement) => Period;

/** `what` in words: 'line'. */
export function endsAfterStart(id: string, what: string, path: string, of: PeriodOf): Rule {
  return rule(
    id,
    (node, root) => {
      const { start, end } = of(node, root);
      return isOrdered(start, end);
    },
    (node, root) => `The ${what} is valid ${told(of(node, root))}, which ends before it starts: correct cbc:StartDate or cbc:EndDate.`,
    path,
  );
}

export function liesWithin(id: string, what: string, path: string, of: PeriodOf, around: { words: string; of: PeriodOf }): Rule {
  return rule(
    id,
    (node, root) => {
      const [inner, outer] = [of(node, root), around.of(node, root)];
      return [inner.start, inner.end].every((day) => isOrdered(outer.start, day) && isOrdered(day, outer.end));
    },
    (node, root) =>
      `The ${what} is valid ${told(of(node, root))}, but the ${around.words} ${told(around.of(node, root))}: keep the first within the second (${path}).`,
    path,
  );
}

function isOrdered(before: Decimal | undefined, after: Decimal | undefined): boolean {
  return before !== undefined && after !== undefined && compare(before, after) <= 0;
}

function told({ start, end }: Period): string {
  return `from ${toldDay(start)} until ${toldDay(end)}`;
}

function toldDay(day: Decimal | undefined): string {
  if (!day) return '(no date)';
  if (day.units === 0n || day.units === ALWAYS.end?.units) return 'any day';
  return shown(String(day.units).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'));
}
