import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, type Decimal, decimalOf, minus, near, negated, over, plus, rounded, shown, sum, times } from '#ubl/decimal.ts';

const decimal = (text: string): Decimal => decimalOf(text) ?? expect.fail(`${text} is no decimal`);
const show = (value: Decimal): string => shown(value, 0);
const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
const asText = (value: number): string =>
  `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`;

describe('exact decimals', () => {
  it.each(['1', '-1', '+1', '1.', '.5', '-0.50', '  7.25\n', '007'])('reads %j', (text) => {
    expect(decimalOf(text)).toBeDefined();
  });

  it.each(['', ' ', '.', '-', '1e3', '1,5', '1 000', 'INF', 'NaN', '0x1', '--1', '1.2.3', '9'.repeat(101)])('does not read %j', (text) => {
    expect(decimalOf(text)).toBeUndefined();
  });

  it('does not lose what floats lose', () => {
    expect(show(plus(decimal('0.1'), decimal('0.2')))).toBe('0.3');
    expect(show(times(decimal('1.005'), decimal('1000')))).toBe('1,005.000');
    expect(show(sum(Array.from({ length: 10 }, () => decimal('0.1'))))).toBe('1.0');
  });

  it.each([
    ['1.005', '1.01'],
    ['1.004999', '1.00'],
    ['-1.005', '-1.00'],
    ['-1.0051', '-1.01'],
    ['2.5', '2.50'],
    ['-0.005', '0.00'],
  ])('rounds %s to %s: halves go up', (given, wanted) => {
    expect(shown(rounded(decimal(given)))).toBe(wanted);
  });

  it('divides to 18 digits, and not by zero', () => {
    expect(show(over(decimal('1'), decimal('3')) ?? decimal('0'))).toBe('0.333333333333333333');
    expect(show(over(decimal('2'), decimal('3')) ?? decimal('0'))).toBe('0.666666666666666667');
    expect(show(over(decimal('-2'), decimal('3')) ?? decimal('0'))).toBe('-0.666666666666666667');
    expect(show(over(decimal('0.000000000000000003'), decimal('2')) ?? decimal('0'))).toBe('0.000000000000000001');
    expect(over(decimal('1'), decimal('0.00'))).toBeUndefined();
  });

  it('compares whatever the digits are', () => {
    expect(compare(decimal('1.0'), decimal('1.000'))).toBe(0);
    expect(compare(decimal('-2'), decimal('1.5'))).toBeLessThan(0);
    expect(near(decimal('10.02'), decimal('10'), decimal('0.02'))).toBe(true);
    expect(near(decimal('10.021'), decimal('10'), decimal('0.02'))).toBe(false);
  });

  it.each([
    ['1234567.5', '1,234,567.50'],
    ['-1000', '-1,000.00'],
    ['0.005', '0.005'],
  ])('shows %s as %s', (given, wanted) => expect(shown(decimal(given))).toBe(wanted));

  it('adds and takes away like integers of cents', () => {
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        expect(compare(plus(decimal(asText(a)), decimal(asText(b))), decimal(asText(a + b)))).toBe(0);
        expect(compare(minus(decimal(asText(a)), decimal(asText(b))), negated(decimal(asText(b - a))))).toBe(0);
        expect(Math.sign(compare(decimal(asText(a)), decimal(asText(b))))).toBe(Math.sign(a - b));
      }),
    );
  });
});
