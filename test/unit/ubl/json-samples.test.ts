import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { replay, type XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { writeJson } from '#ubl/write-json.ts';
import { casesOf } from '../../conformance/cases.ts';
import { conformanceFile, hasConformance } from '../../support/conformance.ts';

/** Hints for schema validators are no data of the document, and have no place in JSON. */
const SCHEMA_HINT = /,\["\{http:\/\/www\.w3\.org\/2001\/XMLSchema-instance\}schemaLocation","[^"]*"\]/g;

function canonical(root: XmlElement): string {
  const parts: string[] = [];
  replay(
    root,
    canonicalHandlers((piece) => parts.push(piece)),
  );
  return parts.join('').replace(SCHEMA_HINT, '');
}

describe.skipIf(!hasConformance)('official documents in JSON', () => {
  it('come back from JSON as the same canonical XML', () => {
    const changed: string[] = [];
    let documents = 0;
    for (const { id, bytes, row } of casesOf(conformanceFile('docs/index.jsonl'))) {
      if (row.xsdValid !== true) continue;
      documents++;
      const root = readTree(bytes);
      const back = readTree(writeXml(readJsonTree(writeJson(root))));
      if (canonical(back) !== canonical(root)) changed.push(id);
    }
    expect(changed).toEqual([]);
    expect(documents).toBeGreaterThan(1000);
  });

  // The official twins differ from their XML in three ways, which are not to be copied: dates and times got a Z, extensions
  // were dropped, and DocumentType is a list because they were made with UBL 2.3.
  const comparable = (root: XmlElement): string => canonical(root).replaceAll(/("(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d(?:\.\d+)?))Z"/g, '$1"');
  const twins = hasConformance ? readdirSync(conformanceFile('ubl-json')).filter((name) => name.endsWith('.xml')) : [];

  it.each(twins.flatMap((xml) => ['legacy', 'model'].map((shape): [string, string] => [xml, shape])))(
    'S002 %s has its %s twin',
    (xml, shape) => {
      const file = (name: string): Uint8Array => readFileSync(join(conformanceFile('ubl-json'), name));
      const root = readTree(file(xml));
      const twin = readJsonTree(file(xml.replace('.xml', `.${shape}.json`)));
      expect(comparable(twin)).toBe(comparable(root));
      if (shape === 'model') {
        const parsed: unknown = JSON.parse(new TextDecoder().decode(file(xml.replace('.xml', '.model.json'))));
        const ours: unknown = JSON.parse(new TextDecoder().decode(writeJson(twin)));
        expect(withoutLists(ours)).toEqual(withoutLists(parsed));
      }
    },
  );
});

/** The values of a document, namespace keys and the lists of DocumentType aside. */
function withoutLists(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return key === 'DocumentType' ? withoutLists(value[0]) : value.map((entry) => withoutLists(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) => (/^_[A-Z]$/.test(name) ? [] : [[name, withoutLists(entry, name)]])),
  );
}
