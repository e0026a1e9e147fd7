// Whether an amount is less than one unit of currency away from what it should be.
import { absolute, compare, type Decimal, decimalOf, minus, ONE } from '#ubl/decimal.ts';

/** As many as it takes to write any float of an amount without rounding it. */
const FLOAT_DIGITS = 60;

/**
 * The official rules take one from the amount, and add one to it, in floating point, and compare that with an exact sum. At a distance
 * of exactly one it is therefore the float that decides: 101.11 passes for 100.11, but 101.25 does not for 100.25.
 */
export function isWithinOne(stated: Decimal, expected: Decimal): boolean {
  const distance = compare(absolute(minus(stated, expected)), ONE);
  return distance === 0 ? isWithinOneAsFloat(stated, expected) : distance < 0;
}

function isWithinOneAsFloat({ units, scale }: Decimal, expected: Decimal): boolean {
  const float = Number(`${units}e-${scale}`);
  const [less, more] = [float - 1, float + 1].map((value) => decimalOf(value.toFixed(FLOAT_DIGITS)));
  return less !== undefined && more !== undefined && compare(less, expected) < 0 && compare(more, expected) > 0;
}
