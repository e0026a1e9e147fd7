// What is known of JSON that cannot be parsed.
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { seenHeadOf } from '#domain/unreadable.ts';
import { readHead } from '#ubl/head.ts';

function seenIn(text: string): object | null {
  try {
    readHead(Buffer.from(text));
  } catch (error) {
    if (error instanceof AppError && /no valid JSON|ends/.test(error.message)) return seenHeadOf(error);
  }
  throw new RangeError('it was read');
}

const known = (documentId: string | null, family = 'Invoice') => ({ family, documentId, sender: null, receiver: null });

describe('of JSON that breaks off, or breaks its grammar', () => {
  it.each([
    ['{"Invoice":{"ID":"A-1","Note":', known('A-1')],
    ['{"Invoice":{"ID":{"_":"A-1"},,}}', known('A-1')],
    ['{ "CreditNote" : [ { "Note": [{"_": "ID"}, "x"], "ID": [ { "schemeID": "1", "_": "A\\u002d1" } ] ', known('A-1', 'CreditNote')],
    ['{"Invoice":{"ID":1001,', known('1001')],
    ['{"_D":"","Invoice":{"ID":"A-1"', known('A-1')],
    ['{"Invoice":{"OrderReference":{"ID":"not mine"},"ID":"A-1"', known('A-1')],
    ['{"Invoice":{"InvoiceLine":[{"ID":"1"},{"ID":"2"', known(null)],
    ['{"Invoice":{"ID":"A-', known(null)],
    ['{"Invoice', null],
    ['{"Statement":{"ID":"A-1"', null],
    ['["Invoice","ID"', null],
  ])('%s', (text, seen) => {
    expect(seenIn(text)).toEqual(seen);
  });
});
