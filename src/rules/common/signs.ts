// The sign of a number as it is written.
import { decimalOf } from '#ubl/decimal.ts';

/** The official rules compare in floating point, where -0.00 is below zero; a -0 without a point they read as an integer, which it is not. */
export function isNotNegative(value: string): boolean {
  const number = decimalOf(value);
  return number !== undefined && (number.units > 0n || (number.units === 0n && !/^\s*-.*\./.test(value)));
}

export function isNotPositive(value: string): boolean {
  const number = decimalOf(value);
  return number !== undefined && number.units <= 0n;
}
