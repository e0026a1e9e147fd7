// A list read as it arrives finds the same as one that is parsed whole, however it is cut and spaced.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListScan } from '#contract/list-scan.ts';

interface Found {
  readonly id: string | undefined;
  readonly document: string;
}

function scan(text: string, piece = text.length || 1): Found[] | undefined {
  const bytes = Buffer.from(text);
  const found: Found[] = [];
  let document = '';
  const reader = new ListScan('Invoice', {
    document: (some) => {
      document += Buffer.from(some).toString('latin1');
    },
    message(id) {
      found.push({ id, document: Buffer.from(document, 'latin1').toString() });
      document = '';
    },
  });
  for (let at = 0; at < bytes.length; at += piece) reader.write(bytes.subarray(at, at + piece));
  return reader.end() ? found : undefined;
}

const list = (...data: unknown[]): string => JSON.stringify({ status: 'success', data });

describe('a list', () => {
  it('tells each message and its document', () => {
    const documents = [{ ID: ['1'], Note: 'a "quoted" \\ {[' }, { Line: [{ integrationId: 'not me' }] }];
    const text = list({ Invoice: documents[0], integrationId: 'a' }, { integrationId: 'b', Invoice: documents[1], more: { Invoice: 1 } });
    expect(scan(text)).toEqual([
      { id: 'a', document: JSON.stringify(documents[0]) },
      { id: 'b', document: JSON.stringify(documents[1]) },
    ]);
  });

  it('may have other keys around it, and white space anywhere', () => {
    const text = JSON.stringify(
      { meta: [{ integrationId: 'x' }], data: [{ integrationId: 'é', Invoice: [1] }], status: 'success' },
      null,
      2,
    );
    expect(scan(text)).toEqual([{ id: 'é', document: '[1]' }]);
  });

  it('of nothing is a list', () => {
    expect(scan(list())).toEqual([]);
  });

  it.each([
    ['no identity', { Invoice: {} }],
    ['an empty one', { integrationId: '', Invoice: {} }],
    ['a number for one', { integrationId: 7, Invoice: {} }],
    ['a very long one', { integrationId: 'x'.repeat(2_000), Invoice: {} }],
  ])('shows a message with %s', (_, message) => {
    expect(scan(list(message))).toEqual([{ id: undefined, document: '{}' }]);
  });

  it.each([
    ['an error', JSON.stringify({ status: 'error', type: 'E_INTERNAL', data: [] })],
    ['no data', JSON.stringify({ status: 'success' })],
    ['data that is an object', JSON.stringify({ status: 'success', data: { a: 1 } })],
    ['an array', '[]'],
    ['HTML', '<html></html>'],
    ['nothing', ''],
    ['what ends early', list({ integrationId: 'a', Invoice: {} }).slice(0, -3)],
    ['two values', `${list()}${list()}`],
    ['crossed brackets', '{"status":"success","data":[{]}}'],
  ])('is not %s', (_, text) => {
    expect(scan(text)).toBeUndefined();
  });

  it('is found the same whatever it says and however it is cut', () => {
    const message = fc.record({ integrationId: fc.uuid(), Invoice: fc.jsonValue({ maxDepth: 4 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), fc.boolean(), (data, piece, spaced) => {
        const text = JSON.stringify({ status: 'success', data }, null, spaced ? 2 : 0);
        const expected = data.map(({ integrationId, Invoice }) => ({ id: integrationId, document: JSON.stringify(Invoice) }));
        expect(scan(text, piece)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
