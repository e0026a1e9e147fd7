// Exact decimals, as amounts need them: an integer and the number of its digits that stand after the point. Never a float.

export interface Decimal {
  readonly units: bigint;
  /** Digits after the point. */
  readonly scale: number;
}

/** xs:decimal: no exponent, no INF, no thousands separators. */
const LEXICAL = /^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))$/;
/** Longer numbers are no amounts; arithmetic on them would cost time that grows with their square. */
const CHARACTERS_MAX = 100;

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const ONE: Decimal = { units: 1n, scale: 0 };

/** The number that the text is once white space around it is gone; undefined when it is none. */
export function decimalOf(text: string | undefined): Decimal | undefined {
  if (text === undefined || text.length > CHARACTERS_MAX) return undefined;
  return plainOf(text) ?? parsed(text.trim());
}

function parsed(text: string): Decimal | undefined {
  const match = LEXICAL.exec(text);
  if (!match) return undefined;
  const scale = (match[1] ?? match[2] ?? '').length;
  return { units: BigInt(text.replace('.', '').replace('+', '')), scale };
}

/** What fits into a float's integers is exact in it. */
const PLAIN_CHARACTERS_MAX = 15;
const [ZERO_CODE, NINE_CODE, POINT_CODE] = [48, 57, 46];

/** The same for what nearly every amount is, digits and perhaps a point between them, and faster; undefined for anything else. */
function plainOf(text: string): Decimal | undefined {
  if (text.length > PLAIN_CHARACTERS_MAX) return undefined;
  let point = -1;
  let units = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO_CODE && code <= NINE_CODE) units = units * 10 + code - ZERO_CODE;
    else if (code === POINT_CODE && point === -1 && at > 0) point = at;
    else return undefined;
  }
  if (text === '') return undefined;
  return { units: BigInt(units), scale: point === -1 ? 0 : text.length - point - 1 };
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, negated(b));
}

export function times(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** `percent` hundredths of it, exactly. */
export function percentOf(base: Decimal, percent: Decimal): Decimal {
  return { units: base.units * percent.units, scale: base.scale + percent.scale + 2 };
}

/** Digits of a quotient after the point. */
const QUOTIENT_DIGITS = 18;

/** The quotient, rounded to the nearest, halves towards zero, as XPath processors do; undefined for a division by zero. */
export function over(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.units === 0n) return undefined;
  const shift = QUOTIENT_DIGITS + b.scale - a.scale;
  const dividend = a.units * power(Math.max(shift, 0));
  const divisor = b.units * power(Math.max(-shift, 0));
  const cut = dividend / divisor;
  const rest = 2n * magnitude(dividend % divisor);
  const away = dividend < 0n === divisor < 0n ? 1n : -1n;
  return { units: rest > magnitude(divisor) ? cut + away : cut, scale: QUOTIENT_DIGITS };
}

export function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

export function absolute({ units, scale }: Decimal): Decimal {
  return { units: magnitude(units), scale };
}

export function sum(numbers: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const number of numbers) total = plus(total, number);
  return total;
}

/** Below zero, zero or above, as a - b is. */
export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = unitsAt(a, scale) - unitsAt(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function equal(a: Decimal, b: Decimal): boolean {
  return compare(a, b) === 0;
}

/** `expected - tolerance <= actual <= expected + tolerance`. */
export function near(actual: Decimal, expected: Decimal, tolerance: Decimal): boolean {
  return compare(actual, minus(expected, tolerance)) >= 0 && compare(actual, plus(expected, tolerance)) <= 0;
}

/** Halves go up, below zero too: floor(x * 100 + 0.5) / 100 for two digits, as the official rules round. */
export function rounded(a: Decimal, digits = 2): Decimal {
  if (a.scale <= digits) return a;
  const step = power(a.scale - digits);
  const shifted = 2n * a.units + step;
  const twice = 2n * step;
  const quotient = shifted / twice;
  return { units: shifted < 0n && shifted % twice !== 0n ? quotient - 1n : quotient, scale: digits };
}

/** For people: thousands separated, at least `digits` after the point: `1,250.00`. */
export function shown(a: Decimal, digits = 2): string {
  const scale = Math.max(a.scale, digits);
  const units = unitsAt(a, scale);
  const text = magnitude(units)
    .toString()
    .padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = text.slice(text.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}

const POWERS: bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function power(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return scale === wanted ? units : units * power(wanted - scale);
}
