import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repaired } from '#rules/repair/repair.ts';
import { validate } from '#rules/validate.ts';
import { conformanceFile, hasConformance } from '../support/conformance.ts';
import { byPath, differences, lengthOf, SLIPS } from '../support/repairs.ts';

const DAY = '2026-06-01';
/** The repair of a document, held against what was promised of it; null where there is none. */
function checked(document: Uint8Array): Uint8Array | null {
  const found = repaired(document, { day: DAY, addresses: [] });
  if (!found) return null;
  expect(validate(found.document, { day: DAY }).findings.filter(({ severity }) => severity === 'fatal')).toEqual([]);
  expect(differences(document, found.document)).not.toEqual([]);
  expect(byPath(found.changes)).toEqual(differences(document, found.document));
  expect(found.changes.filter(({ path }) => /(?:Amount|Quantity|Percent|Numeric|Rate|Measure)(?:\[\d+\])?$/.test(path))).toEqual([]);
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

  it.each(SLIPS)('make documents with %s valid again', (_, make) => {
    const slipped = some.flatMap((right) => {
      const document = Buffer.from(make(right.toString()));
      return right.equals(document) || validate(document, { day: DAY }).valid ? [] : [document];
    });
    expect(slipped.length).toBeGreaterThan(75);
    expect(slipped.filter((document) => !checked(document))).toEqual([]);
  });
});
