// Where the official rules stop with an error instead of a verdict: a receiver who runs them cannot judge the document, though we can.
import type { Finding } from '#domain/document.ts';
import type { Profile } from '#domain/profiles.ts';
import { placeOf } from '#rules/engine/place.ts';
import { all, count, first } from '#rules/engine/select.ts';
import { wordsOf } from '#rules/engine/words.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Elements of which the official rules can take one only, though UBL allows several: the places, and what they read there. */
const SINGLE = {
  price: ['cac:OrderLine/cac:LineItem/cac:Price', 'cac:AllowanceCharge/cbc:Amount'],
  tax: ['.', 'cac:TaxTotal/cbc:TaxAmount'],
  start: ['.', 'cac:ValidityPeriod/cbc:StartDate'],
  end: ['.', 'cac:ValidityPeriod/cbc:EndDate'],
  priceStart: ['cac:CatalogueLine/cac:RequiredItemLocationQuantity/cac:Price', 'cac:ValidityPeriod/cbc:StartDate'],
  priceEnd: ['cac:CatalogueLine/cac:RequiredItemLocationQuantity/cac:Price', 'cac:ValidityPeriod/cbc:EndDate'],
} as const;

const OF_PROFILE: Readonly<Record<string, readonly (readonly [places: string, read: string])[]>> = {
  order: [SINGLE.tax, SINGLE.price],
  'order-change': [SINGLE.tax, SINGLE.price],
  'order-agreement': [SINGLE.tax, SINGLE.price],
  catalogue: [SINGLE.start, SINGLE.end, SINGLE.priceStart, SINGLE.priceEnd],
};

const CONSEQUENCE = 'the official rules stop with an error there, so that a receiver may refuse the document';

/** A warning for each kind of place, at the first one of it. */
export function abortFindings(root: XmlElement, { name }: Profile): readonly Finding[] {
  const repeated = (OF_PROFILE[name] ?? []).flatMap(([places, read]) => {
    const place = all(root, places).find((one) => count(one, read) > 1);
    const [step = ''] = read.split('/');
    return place ? [warningAt(first(place, step) ?? place, repeatedSentence(place, step))] : [];
  });
  const split = firstSplit(root);
  const told = [...repeated, ...(split ? [warningAt(split, splitSentence(split))] : [])];
  // A period without its start, or its end, is the same one.
  return told.filter(({ path }, at) => told.findIndex((one) => one.path === path) === at);
}

function warningAt(element: XmlElement, message: string): Finding {
  return { rule: 'official-abort', severity: 'warning', message, ...placeOf(element) };
}

function repeatedSentence(place: XmlElement, step: string): string {
  const found = count(place, step);
  return `The ${wordsOf(place.tag)} has ${found} of ${step}, as UBL allows, but ${CONSEQUENCE}: keep one, or make one of them.`;
}

function splitSentence({ tag }: XmlElement): string {
  return `A comment stands inside the value of ${tag}; ${CONSEQUENCE}: take the comment out.`;
}

/** The first value that a comment divides; rules read nothing in extensions. */
function firstSplit(element: XmlElement): XmlElement | undefined {
  if (element.split && element.children.length === 0) return element;
  if (element.tag === 'ext:UBLExtensions') return undefined;
  for (const child of element.children) {
    const found = firstSplit(child);
    if (found) return found;
  }
  return undefined;
}
