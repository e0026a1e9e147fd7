import { describe, expect, it } from 'vitest';
import { instantOf, isDate } from '#rules/common/dates.ts';

describe('dates', () => {
  it('are real, and written in ten characters', () => {
    expect(['2026-01-31', '2024-02-29', '0099-12-31'].filter((value) => !isDate(value))).toEqual([]);
    const wrong = [
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-1-1',
      '20260101',
      '2026-01-01Z',
      ' 2026-01-1',
      '0000-01-01',
      '',
    ];
    expect(wrong.filter(isDate)).toEqual([]);
  });

  it('come one after the other, time zones counted', () => {
    const inOrder = ['0001-01-01', '2026-01-01+02:00', '2026-01-01', '2026-01-01-05:00', '2026-01-02Z'].map(
      (value) => instantOf(value) ?? Number.NaN,
    );
    expect([...inOrder].sort((a, b) => a - b)).toEqual(inOrder);
    expect(instantOf('2026-01-01Z')).toBe(instantOf('2026-01-01'));
    expect(instantOf('tomorrow')).toBeUndefined();
  });
});
