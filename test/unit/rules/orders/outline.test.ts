import { describe, expect, it } from 'vitest';
import { codeList } from '#rules/engine/codes.ts';
import { compile } from '#rules/engine/engine.ts';
import { outlined } from '#rules/orders/outline/outline.ts';
import { attribute, attributed, code, constant, group } from '#rules/orders/outline/parts.ts';
import { readTree } from '#ubl/read.ts';
import { CAC, CBC } from '#ubl/tree.ts';

const COLOURS = codeList('colour', 'red green');

const OUTLINE = group('Order', [
  'cbc:ID! cbc:Note',
  constant('cbc:ProfileID!', 'p'),
  attributed('cbc:Amount', attribute('currencyID!', COLOURS), attribute('note')),
  group('cac:Item', [code('cbc:Name!', COLOURS)]),
  group('cac:PartyName', ['cbc:Name']),
]);

function found(content: string): string[] {
  const judge = compile([{ name: 'test', release: '1', from: '2026-01-01', patterns: [outlined('T99', OUTLINE)] }]);
  const xml = `<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}">${content}</Order>`;
  return judge(readTree(new TextEncoder().encode(xml))).findings.map(({ rule }) => rule.replace('PEPPOL-T99-', ''));
}

const COMPLETE = '<cbc:ID>1</cbc:ID><cbc:ProfileID>p</cbc:ProfileID>';

describe('the rules of an outline', () => {
  it('take what it knows, with and without rules', () => {
    const rest = '<cbc:Note>any</cbc:Note><cbc:Amount currencyID="red">1</cbc:Amount><cac:Item><cbc:Name>green</cbc:Name></cac:Item>';
    expect(found(`${COMPLETE}${rest}`)).toEqual([]);
  });

  it('count elements and attributes from the document element, and number the rules of each', () => {
    expect(found('<cbc:Note>any</cbc:Note>')).toEqual(['B00101', 'B00102']);
    expect(found('<cbc:ID>1</cbc:ID><cbc:ProfileID>q</cbc:ProfileID>')).toEqual(['B00401']);
    expect(found(`${COMPLETE}<cbc:Amount note="any">1</cbc:Amount>`)).toEqual(['B00501']);
    expect(found(`${COMPLETE}<cbc:Amount currencyID="blue">1</cbc:Amount>`)).toEqual(['B00502']);
    // White space is forgiven around the codes of elements, not around those of attributes.
    expect(found(`${COMPLETE}<cbc:Amount currencyID=" red">1</cbc:Amount>`)).toEqual(['B00502']);
    expect(found(`${COMPLETE}<cac:Item><cbc:Name> red </cbc:Name></cac:Item>`)).toEqual([]);
    // 5 is the amount, 6 and 7 are its attributes.
    expect(found(`${COMPLETE}<cac:Item><cbc:Name>blue</cbc:Name></cac:Item>`)).toEqual(['B00901']);
    expect(found(`${COMPLETE}<cac:Item/>`)).toEqual(['B00801']);
  });

  it('catch what it does not know by the last rule of the parent', () => {
    expect(found(`${COMPLETE}<cbc:UUID>1</cbc:UUID>`)).toEqual(['B00104']);
    expect(found(`${COMPLETE}<cac:Item><cbc:Name>red</cbc:Name><cbc:ID>1</cbc:ID></cac:Item>`)).toEqual(['B00802']);
    expect(found(`${COMPLETE}<cac:PartyName><cbc:Name>any</cbc:Name><cbc:ID>1</cbc:ID></cac:PartyName>`)).toEqual([]);
  });
});
