import { describe, expect, it } from 'vitest';
import { instantOf, isDate } from '#rules/common/dates.ts';

describe('dates', () => {
  it('are real, and written in ten characters', () => {
    expect(['2026-01-31', '2024-02-29', '0099-12-31', '0000-02-29'].filter((value) => !isDate(value))).toEqual([]);
    const wrong = [
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-1-1',
      '20260101',
      '2026-01-01Z',
      ' 2026-01-1',
      '12026-01-01',
      '-2026-01-01',
      '0099-02-29',
      '',
    ];
    expect(wrong.filter(isDate)).toEqual([]);
  });

  it('come one after the other, time zones counted', () => {
    const inOrder = ['0001-01-01', '2026-01-01+02:00', '2026-01-01', '2026-01-01-05:00', '2026-01-02Z'].map(
      (value) => instantOf(value) ?? Number.NaN,
    );
    expect([...inOrder].sort((a, b) => a - b)).toEqual(inOrder);
    const farApart = [
      '-12026-01-01',
      '-2026-01-01',
      '-0004-02-29',
      '0000-01-01',
      '0026-01-01',
      '1925-01-01',
      '12026-01-01',
      '300000-12-31',
    ];
    const instants = farApart.map((value) => instantOf(value) ?? Number.NaN);
    expect(instants.toSorted((a, b) => a - b)).toEqual(instants);
    expect(['-0001-02-29', '02026-01-01', '2026-04-31', '2026-12-32'].map(instantOf)).toEqual(Array(4).fill(undefined));
    expect(instantOf('2024-03-01')).toBe((instantOf('2024-02-29') ?? 0) + 24 * 60);
    expect(instantOf('2026-01-01Z')).toBe(instantOf('2026-01-01'));
    expect(instantOf('tomorrow')).toBeUndefined();
  });
});
