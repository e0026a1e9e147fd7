import { describe, expect, it } from 'vitest';
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { UNITS } from '#rules/codes/units.ts';
import { INVOICE_TYPES } from '#rules/en16931/codes.ts';
import { codeList, nearest, suggestion } from '#rules/engine/codes.ts';

describe('code lists', () => {
  it('name the nearest codes to a wrong one', () => {
    expect(nearest(CURRENCIES.values, 'eur')).toEqual(['EUR']);
    expect(suggestion(CURRENCIES, 'EURO')).toBe(' Nearest: EUR.');
    expect(suggestion(CURRENCIES, 'Swiss francs')).toBe('');
  });

  it('tell what is meant by what people write instead', () => {
    expect(suggestion(UNITS, 'st')).toBe(' Did you mean H87 (piece) or C62 (one)?');
    expect(suggestion(UNITS, 'ZQ')).toBe('');
    expect(suggestion(INVOICE_TYPES, '381')).toContain('CreditNote');
  });

  it('show a short list whole', () => {
    expect(suggestion(codeList('test', 'A B\n C'), 'X')).toBe(' Allowed: A, B, C.');
  });

  it('are not slowed down by a value of any length', () => {
    expect(nearest(CURRENCIES.values, 'E'.repeat(1_000_000))).toEqual([]);
  });
});
