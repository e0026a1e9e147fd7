import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '#domain/profiles.ts';
import { isValue } from '#ubl/model/lexical.ts';
import { modelOf, type Type, type UblVersion } from '#ubl/model/model.ts';
import { versionFor } from '#ubl/model/version.ts';
import { conformanceFile, hasConformance } from '../../support/conformance.ts';

describe('the element model', () => {
  it('has the children of a document in order, with how often they stand', () => {
    const invoice = modelOf('2.1').documents.get('Invoice');
    expect(invoice?.children.slice(0, 6).map(({ tag }) => tag)).toEqual([
      'ext:UBLExtensions',
      'cbc:UBLVersionID',
      'cbc:CustomizationID',
      'cbc:ProfileID',
      'cbc:ProfileExecutionID',
      'cbc:ID',
    ]);
    expect(invoice?.byTag.get('cbc:ID')).toMatchObject({ required: true, many: false, type: { kind: 'basic', term: 'Identifier' } });
    expect(invoice?.byTag.get('cac:InvoiceLine')).toMatchObject({ required: true, many: true, type: { name: 'InvoiceLine' } });
    expect(invoice?.byName.get('PayeeParty')?.type).toMatchObject({ kind: 'aggregate', name: 'Party' });
  });

  it('knows what UBL 2.3 added, and that 2.3 lets every aggregate be extended', () => {
    const party = modelOf('2.3').documents.get('OrderChange')?.byTag.get('cac:BuyerCustomerParty')?.type;
    expect(party).toMatchObject({ name: 'CustomerParty', children: [{ tag: 'ext:UBLExtensions' }, {}, {}, {}, {}, {}, {}, {}] });
    expect(modelOf('2.1').documents.get('OrderResponse')?.byTag.has('cac:OrderChangeDocumentReference')).toBe(false);
    expect(modelOf('2.3').documents.get('OrderResponse')?.byTag.has('cac:OrderChangeDocumentReference')).toBe(true);
  });

  it('is of the release that the profile of a document names', () => {
    for (const { roots, customizationId, ubl } of PROFILES) {
      for (const root of roots) expect([customizationId, versionFor(root, customizationId)]).toEqual([customizationId, ubl]);
    }
    expect(versionFor('Invoice', 'urn:fdc:peppol.eu:poacc:trns:order_response_advanced:3')).toBe('2.1');
  });

  describe.skipIf(!hasConformance)('beside the facts from the schemas', () => {
    it.each<[UblVersion, string]>([
      ['2.1', 'ubl21-model.json'],
      ['2.3', 'ubl23-model.json'],
    ])('%s is what they say', (version, file) => {
      const facts: Facts = JSON.parse(readFileSync(conformanceFile(file), 'utf8'));
      const { documents } = modelOf(version);
      const seen = new Map<string, Type>();
      for (const [name, { children }] of Object.entries(facts.documents)) same(documents.get(name), children, facts, seen);
      expect([...seen.keys()].filter((name) => name in facts.aggregates).sort()).toEqual(Object.keys(facts.aggregates).sort());
    });
  });
});

type Row = readonly [prefix: string, name: string, min: number, max: number];

interface Facts {
  readonly documents: Readonly<Record<string, { children: readonly Row[] }>>;
  readonly aggregates: Readonly<Record<string, readonly Row[]>>;
  readonly aggregateElements: Readonly<Record<string, string>>;
  readonly basicElements: Readonly<Record<string, string>>;
  readonly dataTypes: Readonly<Record<string, { content: string; attributes: Readonly<Record<string, string>> }>>;
}

const CONTENT: Readonly<Record<string, string>> = { string: 'text', normalizedString: 'text', base64Binary: 'base64' };

/** A type and everything below it, each once. */
function same(type: Type | undefined, rows: readonly Row[], facts: Facts, seen: Map<string, Type>): void {
  if (type?.kind !== 'aggregate') throw new Error('no aggregate');
  expect([type.name, type.children.map(({ tag, required, many }) => [tag, required, many])]).toEqual([
    type.name,
    rows.map(([prefix, name, min, max]) => [`${prefix}:${name}`, min === 1, max === -1]),
  ]);
  for (const child of type.children) {
    if (child.type.kind === 'aggregate' && child.tag.startsWith('cac:')) {
      const name = facts.aggregateElements[child.name] ?? '';
      expect([child.name, child.type.name]).toEqual([child.name, name]);
      if (seen.has(name)) continue;
      seen.set(name, child.type);
      same(child.type, facts.aggregates[name] ?? [], facts, seen);
    } else if (child.type.kind === 'basic') {
      const { content = '', attributes = {} } = facts.dataTypes[facts.basicElements[child.name] ?? ''] ?? {};
      expect([child.name, child.type.content]).toEqual([child.name, CONTENT[content] ?? content]);
      expect([child.name, [...child.type.attributes.keys()].sort()]).toEqual([child.name, Object.keys(attributes).sort()]);
      expect(child.type.required).toEqual(Object.keys(attributes).filter((name) => attributes[name] === 'required'));
    }
  }
}

describe('values of XML Schema', () => {
  it.each([
    ['decimal', ['1', '-1.5', '+.5', '5.', ' 1 ', '007'], ['', '.', '1e5', '1,000', '1 0', 'INF', '\u00a01', '0x1']],
    ['boolean', ['true', 'false', '1', '0', '\ttrue\n'], ['', 'TRUE', 'yes', '2']],
    [
      'date',
      [
        '2026-03-31',
        '2024-02-29',
        '2020-02-29',
        '2000-02-29',
        '2026-03-31Z',
        '2026-03-31+14:00',
        '2026-03-31-05:30',
        '-0044-03-15',
        '12026-01-01',
      ],
      [
        '',
        '2026-02-29',
        '1900-02-29',
        '2026-04-31',
        '2026-13-01',
        '2026-00-10',
        '2026-01-00',
        '31.03.2026',
        '2026-3-31',
        '0000-01-01',
        '02026-01-01',
        '2026-03-31+14:01',
        '2026-03-31T00:00:00',
      ],
    ],
    [
      'time',
      ['14:30:00', '14:30:00.123', '24:00:00', '14:30:00Z', '14:30:00-01:00'],
      ['', '14:30', '24:00:01', '25:00:00', '14:60:00', '14:30:60'],
    ],
    [
      'base64',
      ['', 'AAAA', 'AA==', 'AAE=', 'A A\nA A', 'AA= ='],
      ['A', 'AAA', 'AB==', 'AE==', 'AAF=', 'AA=A', '====', '=', 'AA-_', 'data:;base64,AAAA'],
    ],
    ['language', ['en', 'sv-SE', 'x-klingon'], ['', 'e1', 'toolonglang', 'en-', 'en_US']],
    ['text', ['', 'anything'], []],
  ] as const)('%s', (content, right, wrong) => {
    expect(right.filter((text) => !isValue(content, text))).toEqual([]);
    expect(wrong.filter((text) => isValue(content, text))).toEqual([]);
  });
});
