// What has one cause is told once, with its places and what follows from it.
import { describe, expect, it } from 'vitest';
import type { Finding } from '#domain/document.ts';
import { grouped } from '#gateway/publish/grouped-findings.ts';
import { validate } from '#rules/validate.ts';
import { invoice } from '../../../support/documents.ts';

const text = Buffer.from(invoice()).toString();
const judged = async (changed: string): Promise<readonly Finding[]> =>
  (await validate(Buffer.from(changed), { day: '2026-11-21' })).findings;
const finding = (rule: string, message: string, path: string): Finding => ({ rule, severity: 'fatal', message, path });

describe('findings of one cause', () => {
  it('a currency that is none is one finding with all its places', async () => {
    const found = await judged(text.replaceAll('SEK', 'kr'));
    expect(found.length).toBeGreaterThan(20);
    const groups = grouped(found);
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      rule: 'BR-CL-04',
      path: '/Invoice/cbc:DocumentCurrencyCode',
      rules: ['BR-CL-03', 'PEPPOL-EN16931-CL007'],
    });
    expect(new Set([groups[0], ...(groups[0]?.places ?? [])].map((place) => place?.path))).toEqual(new Set(found.map(({ path }) => path)));
    expect(groups[0]?.message).toMatch(/The same at 11 more places\.$/);
  });

  it('what only disagrees with a currency that is none follows from it', async () => {
    const groups = grouped(await judged(text.replace(/(<cbc:DocumentCurrencyCode>)\w+/, '$1kr')));
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ rule: 'BR-CL-04', follows: [{ rule: 'BR-CO-15' }, { rule: 'PEPPOL-EN16931-R051' }] });
    expect(groups[0]?.follows?.[1]?.places).toHaveLength(10);
  });

  it('a tax scheme of another name comes before what is not found of VAT', async () => {
    const groups = grouped(await judged(text.replaceAll('<cbc:ID>VAT</cbc:ID>', '<cbc:ID>MOMS</cbc:ID>')));
    expect(groups.map(({ rule }) => rule)).toEqual(['tax-scheme', 'BR-CO-26']);
    expect(groups[0]?.follows?.map(({ rule }) => rule)).toEqual(['BR-S-02', 'BR-47', 'BR-48', 'BR-CO-17', 'BR-CO-04']);
  });

  it('different things that are missing at one place stay apart, and nothing is lost', () => {
    const found = [
      finding('one', 'cbc:ID is missing.', '/Invoice/cac:InvoiceLine[1]'),
      finding('one', 'cbc:Name is missing.', '/Invoice/cac:InvoiceLine[1]'),
      finding('one', 'cbc:ID is missing.', '/Invoice/cac:InvoiceLine[2]'),
    ];
    expect(grouped(found)).toEqual([
      { ...found[0], message: 'cbc:ID is missing. The same at 1 more place.', places: [{ path: '/Invoice/cac:InvoiceLine[2]' }] },
      found[1],
    ]);
    expect(grouped([])).toEqual([]);
  });
});
