// What a repair has changed of a document, found without asking the repair; and slips of form, which can be repaired.
import type { RepairedValue } from '#domain/receipt.ts';
import { placeOf } from '#rules/engine/place.ts';
import { readTree } from '#ubl/read.ts';
import type { XmlElement } from '#ubl/tree.ts';

const DATES = /(Date>)(\d{4})-(\d\d)-(\d\d)(?=<)/g;

type Slip = readonly [slip: string, make: (text: string) => string];

/** Mistakes in form alone, which a valid document has after them. */
export const SLIPS: readonly Slip[] = [
  ['dates without hyphens', (text) => text.replaceAll(DATES, '$1$2$3$4')],
  ['dates as in Germany', (text) => text.replaceAll(DATES, '$1$4.$3.$2')],
  [
    'currencies in small letters',
    (text) => text.replaceAll(/(?<=CurrencyCode>|currencyID=")[A-Z]{3}(?=[<"])/g, (code) => code.toLowerCase()),
  ],
  ['countries in small letters', (text) => text.replaceAll(/(?<=IdentificationCode>)[A-Z]{2}(?=<)/g, (code) => code.toLowerCase())],
  ['a name of its profile with a letter too few', (text) => text.replace(/(?<=CustomizationID>urn:)(?!.*xrechnung)./, '')],
];

/** What is different between two documents, as a repair should have named it. Throws where one of the values is missing afterwards. */
export function differences(before: Uint8Array, after: Uint8Array): RepairedValue[] {
  const [old, now] = [valuesOf(readTree(before)), valuesOf(readTree(after))];
  const missing = [...old.keys()].filter((path) => !now.has(path));
  if (missing.length > 0) throw new Error(`it has no ${missing.join(', ')} any more`);
  return byPath([...now].flatMap(([path, to]) => (old.get(path) === to ? [] : [{ path, from: old.get(path) ?? null, to }])));
}

export function byPath(changes: readonly RepairedValue[]): RepairedValue[] {
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** By how much longer the changes make a document: white space and comments between the values stay as they are. */
export function lengthOf(changes: readonly RepairedValue[]): number {
  return changes.reduce((sum, { from, to }) => sum + to.length - (from ?? '').length, 0);
}

/** Every value of a document by its place. */
function valuesOf(element: XmlElement, found = new Map<string, string>()): Map<string, string> {
  const { path } = placeOf(element);
  found.set(path, element.text);
  for (const [name, value] of element.attributes) found.set(`${path}/@${name}`, value);
  for (const child of element.children) valuesOf(child, found);
  return found;
}
