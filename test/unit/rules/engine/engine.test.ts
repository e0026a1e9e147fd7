import { describe, expect, it } from 'vitest';
import { compile } from '#rules/engine/engine.ts';
import { fixed, forbidden, notInModel, required } from '#rules/engine/kinds.ts';
import { context, derived, type Pattern, rule, warning } from '#rules/engine/rule.ts';
import { text, trimmed } from '#rules/engine/select.ts';
import { readTree } from '#ubl/read.ts';
import { CAC, CBC, type XmlElement } from '#ubl/tree.ts';

const never = (): boolean => false;
const named = (id: string) => rule(id, never, `${id} is broken.`);

function document(content: string, root = 'Order'): XmlElement {
  const namespaces = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}"`;
  return readTree(new TextEncoder().encode(`<${root} ${namespaces}>${content}</${root}>`));
}

function fired(content: string, ...patterns: Pattern[]): string[] {
  return judgementOf(content, ...patterns).findings.map(({ rule, path }) => `${rule} ${path}`);
}

function judgementOf(content: string, ...patterns: Pattern[]) {
  return compile([{ name: 'test', release: '1', from: '2026-01-01', patterns }])(document(content));
}

describe('the engine', () => {
  const lines = '<cac:OrderLine><cbc:ID>1</cbc:ID></cac:OrderLine><cac:OrderLine><cbc:ID>2</cbc:ID></cac:OrderLine>';

  it('finds a relative path wherever it stands, an anchored one only from the root', () => {
    const relative = [context('cac:OrderLine/cbc:ID', [named('R')])];
    const anchored = [context('/Order/cbc:ID', [named('A')])];
    expect(fired(`<cbc:ID>9</cbc:ID>${lines}`, relative, anchored)).toEqual([
      'A /Order/cbc:ID',
      'R /Order/cac:OrderLine[1]/cbc:ID',
      'R /Order/cac:OrderLine[2]/cbc:ID',
    ]);
  });

  it('checks a node by the first context of a pattern only, and by every pattern', () => {
    const pattern = [context('/Order/cbc:ID', [named('first')]), context('/Order/*', [named('rest')])];
    expect(fired(`<cbc:ID>9</cbc:ID><cbc:Note>x</cbc:Note>`, pattern, [context('cbc:ID', [named('other')])])).toEqual([
      'first /Order/cbc:ID',
      'other /Order/cbc:ID',
      'rest /Order/cbc:Note',
    ]);
  });

  it('takes the first context of a pattern, however general its path', () => {
    const pattern = [
      context('/Order/*', [named('first')]),
      context('/Order/cbc:*', [named('second')]),
      context('cbc:ID', [named('third')]),
    ];
    expect(fired('<cbc:ID>9</cbc:ID>', pattern)).toEqual(['first /Order/cbc:ID']);
  });

  it('goes on to the next context when a condition does not hold', () => {
    const pattern = [context('cbc:ID', (node) => trimmed(node, '.') === '1', [named('one')]), context('cbc:ID', [named('any')])];
    expect(fired(lines, pattern)).toEqual(['one /Order/cac:OrderLine[1]/cbc:ID', 'any /Order/cac:OrderLine[2]/cbc:ID']);
  });

  it('knows wildcards of a namespace, and alternatives', () => {
    expect(fired(lines, [context('cac:OrderLine/cbc:*', [named('basic')])])).toHaveLength(2);
    expect(fired(lines, [context('/*/cbc:*', [named('basic')])])).toHaveLength(0);
    expect(fired(lines, [context('cbc:Note | cbc:ID', [named('either')])])).toHaveLength(2);
  });

  it('does not take an element of another namespace for one of ours', () => {
    const pattern = [context('cbc:ID', [named('id')]), context('*', [named('other')])];
    expect(fired('<x:ID xmlns:x="urn:x">1</x:ID>', pattern)).toContain('other /Order/*:ID');
  });

  it('takes a model as the last word of a pattern', () => {
    const pattern = [
      context('/Order', [required('R1', 'cbc:ID')]),
      context('/Order/cbc:Note', []),
      context('/Order/*', [notInModel('R2')]),
    ];
    expect(fired('<cbc:Note/><cbc:UUID>1</cbc:UUID>', pattern)).toEqual(['R1 /Order', 'R2 /Order/cbc:UUID']);
  });

  it('tells each unwanted element where it stands, one rule not hiding another', () => {
    const patterns = forbidden(
      ['/Order'],
      [
        ['F1', 'cac:OrderLine'],
        ['F2', 'cac:OrderLine/cbc:ID'],
      ],
    );
    expect(fired('<cac:OrderLine><cbc:ID>1</cbc:ID></cac:OrderLine>', ...patterns)).toEqual([
      'F1 /Order/cac:OrderLine',
      'F2 /Order/cac:OrderLine/cbc:ID',
    ]);
  });

  it('says where: path, line, column, value, and at the element that is to be corrected', () => {
    const pattern = [context('cac:OrderLine', [rule('R', never, 'Wrong.', 'cbc:ID'), rule('S', never, 'Wrong.', 'cbc:None')])];
    const [atId, atNode] = judgementOf('\n  <cac:OrderLine><cbc:ID> 7 </cbc:ID></cac:OrderLine>', pattern).findings;
    expect(atId).toMatchObject({ path: '/Order/cac:OrderLine/cbc:ID', line: 2, column: 18, value: '7' });
    expect(atNode).toMatchObject({ path: '/Order/cac:OrderLine', line: 2, column: 3 });
  });

  it('tells a mistake of every line so often, and counts the rest', () => {
    const many = Array.from({ length: 70 }, () => '<cbc:Note>x</cbc:Note>').join('');
    const { findings, untold } = judgementOf(many, [context('cbc:Note', [named('N')])]);
    expect([findings.length, untold]).toEqual([50, 20]);
  });

  it('tells what refuses a document however many warnings stand before it', () => {
    const notes = Array.from({ length: 50 }, () => '<cbc:Note>x</cbc:Note>').join('');
    const warnings = Array.from({ length: 20 }, (_, at): Pattern => [context('cbc:Note', [warning(named(`W${at}`))])]);
    const { findings, untold } = judgementOf(`${notes}<cbc:ID>1</cbc:ID>${notes}`, ...warnings, [context('cbc:ID', [named('F')])]);
    expect(findings.filter(({ severity }) => severity === 'fatal')).toMatchObject([{ rule: 'F' }]);
    expect([findings.length, untold]).toEqual([1001, 1000]);
  });

  it('tells no more than a line or two of what a document makes long', () => {
    const long = rule('L', never, ({ text }) => `'${text}' is too long.`);
    const { findings } = judgementOf(`<cbc:ID>${'x'.repeat(100_000)}</cbc:ID>`, [context('cbc:ID', [long])]);
    expect(findings[0]?.message).toHaveLength(2000);
  });

  it('works out places that nobody would write as it does known ones', () => {
    const judge = compile([{ name: 'test', release: '1', from: '2026-01-01', patterns: [[context('cbc:ID', [named('id')])]] }]);
    for (let i = 0; i < 300; i++) {
      const strange = Array.from({ length: 100 }, (_, j) => `<cbc:X${i}x${j}/>`).join('');
      expect(judge(document(`${strange}<cbc:ID/>`)).findings).toHaveLength(1);
    }
  });
});

describe('looking up and telling', () => {
  it('finds an attribute at the first element that has it', () => {
    const root = document('<cbc:ID>1</cbc:ID><cbc:ID schemeID="2">3</cbc:ID>');
    expect(text(root, 'cbc:ID/@schemeID')).toBe('2');
  });

  it('shows a long value as far as a line goes', () => {
    const { findings } = judgementOf(`<cbc:ID>${'x'.repeat(500)}</cbc:ID>`, [context('cbc:ID', [fixed('F', '1')])]);
    expect(findings[0]?.message).toMatch(/'x{57}…'/);
  });
});

describe('a derived set', () => {
  it('leaves out, replaces, adds', () => {
    const base: Pattern[] = [[context('cbc:ID', [named('A'), named('B'), named('C')])]];
    const patterns = derived(base, {
      drop: new Set(['A']),
      replace: [warning(named('B'))],
      add: [[context('cbc:ID', [named('D')])]],
    });
    const { findings } = judgementOf('<cbc:ID/>', ...patterns);
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['B warning', 'C fatal', 'D fatal']);
  });
});
