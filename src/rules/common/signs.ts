// The sign of a number as it is written.
import { decimalOf } from '#ubl/decimal.ts';

/** A number without a minus. The official rules compare in floating point, where -0.00 is below zero. */
export function isNotNegative(value: string): boolean {
  return decimalOf(value) !== undefined && !value.trim().startsWith('-');
}

export function isNotPositive(value: string): boolean {
  const number = decimalOf(value);
  return number !== undefined && number.units <= 0n;
}
