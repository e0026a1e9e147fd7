import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentFindings } from '#rules/attachments.ts';
import { judge } from '#rules/validate.ts';
import { attachmentsOf } from '#ubl/attachments.ts';
import { base64Length } from '#ubl/model/lexical.ts';
import { readTree } from '#ubl/read.ts';
import { invoice } from '../../support/documents.ts';

const MIB = 1024 * 1024;

describe('attachments', () => {
  it('are listed with name, media type and decoded size', () => {
    const list = attachmentsOf(readTree(invoice({ attachmentBytes: 1000 })));
    expect(list.map(({ name, mediaType, sizeBytes }) => ({ name, mediaType, sizeBytes: sizeBytes() }))).toEqual([
      { name: 'lines.csv', mediaType: 'text/csv', sizeBytes: 1000 },
    ]);
    expect(attachmentsOf(readTree(invoice()))).toEqual([]);
  });

  it('that are no base64 have no size', () => {
    const text = new TextDecoder().decode(invoice({ attachmentBytes: 30 })).replace('filename="lines.csv">', '$&!');
    expect(attachmentsOf(readTree(new TextEncoder().encode(text))).map(({ sizeBytes }) => sizeBytes())).toEqual([null]);
  });

  it('of more than 5 MiB are warned about, and no smaller ones', async () => {
    expect(attachmentFindings(readTree(invoice({ attachmentBytes: 5 * MIB })))).toEqual([]);
    const large = readTree(invoice({ attachmentBytes: 5 * MIB + 1 }));
    expect(attachmentFindings(large)).toMatchObject([
      {
        rule: 'attachment-size',
        severity: 'warning',
        message: expect.stringContaining("'lines.csv' has 5.0 MiB"),
        path: '/Invoice/cac:AdditionalDocumentReference/cac:Attachment/cbc:EmbeddedDocumentBinaryObject',
        pointer: '/Invoice/AdditionalDocumentReference/0/Attachment/EmbeddedDocumentBinaryObject',
      },
    ]);
    expect((await judge(large, { day: '2026-06-01' })).findings.map(({ rule }) => rule)).toContain('attachment-size');
  });

  it('are as long as decoding says, white space anywhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(base64Length(text.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n '))).toBe(bytes.length);
      }),
    );
  });
});
