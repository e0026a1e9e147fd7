import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RepairedValue } from '#domain/receipt.ts';
import { placeOf } from '#rules/engine/place.ts';
import { repaired } from '#rules/repair/repair.ts';
import { validate } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { conformanceFile, hasConformance } from '../support/conformance.ts';

const DAY = '2026-06-01';
const DATES = /(Date>)(\d{4})-(\d\d)-(\d\d)(?=<)/g;

/** Every value of a document by its place. */
function valuesOf(element: XmlElement, found = new Map<string, string>()): Map<string, string> {
  const { path } = placeOf(element);
  found.set(path, element.text);
  for (const [name, value] of element.attributes) found.set(`${path}/@${name}`, value);
  for (const child of element.children) valuesOf(child, found);
  return found;
}

/** What is different between two documents, as a repair should have named it. */
function differences(before: Uint8Array, after: Uint8Array): RepairedValue[] {
  const [old, now] = [valuesOf(readTree(before)), valuesOf(readTree(after))];
  expect([...old.keys()].filter((path) => !now.has(path))).toEqual([]);
  return [...now].flatMap(([path, to]) => (old.get(path) === to ? [] : [{ path, from: old.get(path) ?? null, to }]));
}

const byPath = (changes: readonly RepairedValue[]): RepairedValue[] => changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
const lengthOf = (changes: readonly RepairedValue[]): number =>
  changes.reduce((sum, { from, to }) => sum + to.length - (from ?? '').length, 0);

/** The repair of a document, held against what was promised of it; null where there is none. */
function checked(document: Uint8Array): Uint8Array | null {
  const found = repaired(document, { day: DAY, addresses: [] });
  if (!found) return null;
  expect(validate(found.document, { day: DAY }).findings.filter(({ severity }) => severity === 'fatal')).toEqual([]);
  expect(differences(document, found.document)).not.toEqual([]);
  expect(byPath(found.changes)).toEqual(byPath(differences(document, found.document)));
  expect(found.changes.filter(({ path }) => /(?:Amount|Quantity|Percent|Numeric|Rate|Measure)(?:\[\d+\])?$/.test(path))).toEqual([]);
  // White space and comments between the values.
  expect(found.document.length - document.length).toBe(lengthOf(found.changes));
  return found.document;
}

describe.skipIf(!hasConformance)('suggested repairs of the official documents', () => {
  const index = hasConformance ? readFileSync(conformanceFile('docs', 'index.jsonl'), 'utf8').trim().split('\n') : [];
  const documents = index.map((line) => readFileSync(conformanceFile((JSON.parse(line) as { file: string }).file)));
  const [valid, broken] = [true, false].map((is) => documents.filter((each) => validate(each, { day: DAY }).valid === is));
  const some = valid?.filter((_, at) => at % 4 === 0) ?? [];

  it('are valid, and change nothing but what they name', () => {
    expect(broken?.length).toBeGreaterThan(700);
    expect(broken?.filter((document) => checked(document))).toHaveLength(4);
  });

  it('are none of documents that are valid', () => {
    expect(some.filter((document) => checked(document))).toEqual([]);
  });

  it.each<[slip: string, make: (text: string) => string]>([
    ['dates without hyphens', (text) => text.replaceAll(DATES, '$1$2$3$4')],
    ['dates as in Germany', (text) => text.replaceAll(DATES, '$1$4.$3.$2')],
    [
      'currencies in small letters',
      (text) => text.replaceAll(/(?<=CurrencyCode>|currencyID=")[A-Z]{3}(?=[<"])/g, (code) => code.toLowerCase()),
    ],
    ['countries in small letters', (text) => text.replaceAll(/(?<=IdentificationCode>)[A-Z]{2}(?=<)/g, (code) => code.toLowerCase())],
    ['a name of its profile with a letter too few', (text) => text.replace(/(?<=CustomizationID>urn:)(?!.*xrechnung)./, '')],
  ])('make documents with %s valid again', (_, make) => {
    const slipped = some.flatMap((right) => {
      const document = Buffer.from(make(right.toString()));
      return right.equals(document) || validate(document, { day: DAY }).valid ? [] : [document];
    });
    expect(slipped.length).toBeGreaterThan(75);
    expect(slipped.filter((document) => !checked(document))).toEqual([]);
  });
});
