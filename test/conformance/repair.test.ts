import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repaired } from '#rules/repair/repair.ts';
import { validate } from '#rules/validate.ts';
import { conformanceFile, hasConformance } from '../support/conformance.ts';
import { byPath, differences, lengthOf, SLIPS } from '../support/repairs.ts';

const DAY = '2026-06-01';
/** The repair of a document, held against what was promised of it; null where there is none. */
async function checked(document: Uint8Array): Promise<Uint8Array | null> {
  const found = await repaired(document, { day: DAY, addresses: [] });
  if (!found) return null;
  expect((await validate(found.document, { day: DAY })).findings.filter(({ severity }) => severity === 'fatal')).toEqual([]);
  expect(differences(document, found.document)).not.toEqual([]);
  expect(byPath(found.changes)).toEqual(differences(document, found.document));
  expect(found.changes.filter(({ path }) => /(?:Amount|Quantity|Percent|Numeric|Rate|Measure)(?:\[\d+\])?$/.test(path))).toEqual([]);
  expect(found.document.length - document.length).toBe(lengthOf(found.changes));
  return found.document;
}

/** Those that have one, or none. */
async function thatAre(isRepaired: boolean, documents: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const each of documents) if (((await checked(each)) !== null) === isRepaired) found.push(each);
  return found;
}

const isValid = async (document: Uint8Array): Promise<boolean> => (await validate(document, { day: DAY })).valid;

describe.skipIf(!hasConformance)('suggested repairs of the official documents', async () => {
  const index = hasConformance ? readFileSync(conformanceFile('docs', 'index.jsonl'), 'utf8').trim().split('\n') : [];
  const documents = index.map((line) => readFileSync(conformanceFile((JSON.parse(line) as { file: string }).file)));
  const verdicts = await Promise.all(documents.map(isValid));
  const [valid, broken] = [true, false].map((is) => documents.filter((_, at) => verdicts[at] === is));
  const some = valid?.filter((_, at) => at % 4 === 0) ?? [];

  it('are valid, and change nothing but what they name', async () => {
    expect(broken?.length).toBeGreaterThan(700);
    expect(await thatAre(true, broken ?? [])).toHaveLength(4);
  });

  it('are none of documents that are valid', async () => {
    expect(await thatAre(true, some)).toEqual([]);
  });

  it.each(SLIPS)('make documents with %s valid again', async (_, make) => {
    const slipped: Uint8Array[] = [];
    for (const right of some) {
      const document = Buffer.from(make(right.toString()));
      if (!right.equals(document) && !(await isValid(document))) slipped.push(document);
    }
    expect(slipped.length).toBeGreaterThan(75);
    expect(await thatAre(false, slipped)).toEqual([]);
  });
});
