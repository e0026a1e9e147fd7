// Who sends JSON is told by its keys: no sentence speaks of XML.
import { describe, expect, it } from 'vitest';
import type { Finding } from '#domain/document.ts';
import { validate } from '#rules/validate.ts';
import { readDocument } from '#ubl/document.ts';
import { writeJson } from '#ubl/write-json.ts';
import { invoice } from '../../support/documents.ts';
import { FAULTS } from '../../support/seeded-faults.ts';

const text = Buffer.from(invoice()).toString();

async function judged(fault: keyof typeof FAULTS): Promise<readonly Finding[]> {
  const xml = FAULTS[fault](text);
  expect(xml).not.toBe(text);
  return (await validate(writeJson(readDocument(Buffer.from(xml)).root), { day: '2026-11-21' })).findings;
}

const FAULT_NAMES = Object.keys(FAULTS).filter((name): name is keyof typeof FAULTS => Object.hasOwn(FAULTS, name));

describe('findings of a document in JSON', () => {
  it.each(FAULT_NAMES)('%s: in words of JSON', async (fault) => {
    const found = await judged(fault);
    expect(found).not.toEqual([]);
    for (const { message, pointer, line } of found) {
      expect(message).not.toMatch(/c[ab]c:|ext:|\w="|before \w+\.$/);
      expect(pointer).toMatch(/^\/Invoice/);
      expect(line).toBe(1);
    }
  });

  it.each([
    ['no amount to pay', 'LegalMonetaryTotal has no PayableAmount, which it must have: add it.'],
    ['no amount of a line', 'InvoiceLine has no LineExtensionAmount, which it must have: add it.'],
    ['an amount without currency', 'PayableAmount must have the attribute currencyID: add it, for example "currencyID": "EUR".'],
    ['no sum of the lines', 'The document has no sum of the lines: add LegalMonetaryTotal/LineExtensionAmount.'],
    [
      'another currency',
      'No total of VAT is in EUR, the currency of the document: give one TaxTotal/TaxAmount: { "_": …, "currencyID": "EUR" }.',
    ],
  ] as const)('%s: "%s"', async (fault, sentence) => expect((await judged(fault)).map(({ message }) => message)).toContain(sentence));

  it('what the document itself says is left as it is', async () => {
    const xml = text.replace(/(<cbc:InvoiceTypeCode>)\d+/, '$1cbc:Type');
    const [first] = (await validate(writeJson(readDocument(Buffer.from(xml)).root), { day: '2026-11-21' })).findings;
    expect(first?.message).toMatch(/^'cbc:Type' is no type of an invoice .*: correct InvoiceTypeCode\.$/);
  });
});
