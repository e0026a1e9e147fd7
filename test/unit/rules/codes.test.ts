import { describe, expect, it } from 'vitest';
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { codeList, nearest, suggestion } from '#rules/codes.ts';

describe('code lists', () => {
  it('name the nearest codes to a wrong one', () => {
    expect(nearest(CURRENCIES.values, 'eur')).toEqual(['EUR']);
    expect(suggestion(CURRENCIES, 'EURO')).toBe(' Nearest: EUR.');
    expect(suggestion(CURRENCIES, 'Swiss francs')).toBe('');
  });

  it('show a short list whole', () => {
    expect(suggestion(codeList('test', 'A B\n C'), 'X')).toBe(' Allowed: A, B, C.');
  });

  it('are not slowed down by a value of any length', () => {
    expect(nearest(CURRENCIES.values, 'E'.repeat(1_000_000))).toEqual([]);
  });
});
