import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conformanceFile, hasConformance } from '../support/conformance.ts';
import { EXPLAINED_CASES, EXPLAINED_ROWS } from './explained.ts';
import { conformance } from './page.ts';
import { editionsOf, implemented } from './rows.ts';

// biome-ignore format: one list of names
const EXACT = [
  'peppol-billing', 'peppol-selfbilling', 'en16931', 'order', 'order-response', 'order-response-advanced', 'order-agreement', 'order-change',
  'order-cancellation', 'catalogue', 'punch-out', 'despatch-advice', 'catalogue-response', 'invoice-response', 'mlr',
];

describe.skipIf(!hasConformance)('the official cases', () => {
  const { score, missingRows, page } = hasConformance ? conformance() : { score: null, missingRows: [], page: '' };
  const share = (row: RegExp): number => {
    const found = [...(score?.tallies ?? [])].filter(([name]) => row.test(name)).map(([, tally]) => tally);
    expect(found).not.toEqual([]);
    return found.reduce((sum, { passed }) => sum + passed, 0) / found.reduce((sum, { total }) => sum + total, 0);
  };

  it('S020 carries every official rule, or says why not', () => {
    expect(missingRows.filter((row) => EXPLAINED_ROWS[row.slice(0, row.lastIndexOf(' '))] === undefined)).toEqual([]);
  });

  it('has in each edition what that one inherits, and nothing else', () => {
    if (!hasConformance) return;
    const ours = implemented();
    for (const [name, given] of editionsOf(conformanceFile('inherits.json'))) {
      const ids = [...new Set([...(ours.get(name) ?? [])].map((rule) => rule.slice(0, rule.lastIndexOf(' '))))].sort();
      expect({ name, ids }).toEqual({ name, ids: given });
    }
  });

  it('agrees on every fragment that breaks a fatal rule', () => {
    expect(share(/^unit .* fatal$/)).toBe(1);
    expect(share(/^unit .* warning$/)).toBeGreaterThanOrEqual(0.98);
  });

  it.each(EXACT)('agrees on every %s document', (family) => {
    expect(share(new RegExp(`^docs ${family} verdict$`))).toBe(1);
    expect(share(new RegExp(`^docs ${family} exact fatal$`))).toBe(1);
  });

  it('agrees on at least 99 % of the documents of PINT and of each jurisdiction', () => {
    const families = [...(score?.tallies.keys() ?? [])].filter((row) => /^docs pint\S* (?:verdict|exact fatal)$/.test(row));
    expect(families.length).toBeGreaterThan(20);
    for (const row of families) expect([row, share(new RegExp(`^${row}$`)) >= 0.99]).toEqual([row, true]);
  });

  it('agrees on at least 98 % of warnings', () => {
    expect(share(/^docs .* exact warning$/)).toBeGreaterThanOrEqual(0.98);
  });

  it('S001 S002 agrees with the schemas of UBL on at least 99.5 % of documents', () => {
    expect(share(/^structure /)).toBeGreaterThanOrEqual(0.995);
  });

  it('explains every difference, and nothing that is none', () => {
    const different = new Set(score?.misses.map(({ id }) => id));
    expect([...different].filter((id) => EXPLAINED_CASES[id] === undefined)).toEqual([]);
    expect(Object.keys(EXPLAINED_CASES).filter((id) => !different.has(id))).toEqual([]);
  });

  it('has its page in docs/, as it is now', () => {
    expect(readFileSync('docs/conformance.md', 'utf8')).toBe(page);
  });
});
