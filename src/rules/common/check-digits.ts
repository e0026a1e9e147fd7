// Check digits of identifiers: whether a number can be one, worked out from its own digits. Values come without white space around them.
import { glnCheckDigit } from '#domain/participant.ts';

const CODE_0 = 48;

/** GS1: a GLN, or a number of another length whose last digit is checked alike. */
export function isGln(value: string): boolean {
  return /^[0-9]+$/.test(value) && glnCheckDigit(value.slice(0, -1)) === value.at(-1);
}

/** Norway (0192): weights 2 to 7 from the right. */
export function isNorwegianNumber(value: string): boolean {
  if (!/^[0-9]{9}$/.test(value) || Number(value) === 0) return false;
  const digits = digitsOf(value);
  const check = digits.pop();
  const sum = total(digits.reverse(), (digit, at) => digit * ((at % 6) + 2));
  return (11 - (sum % 11)) % 11 === check;
}

/** Belgium (0208): the last two digits and the first eight, modulo 97, make 97. */
export function isBelgianNumber(value: string): boolean {
  return /^[0-9]{10}$/.test(value) && Number(value.slice(8)) === 97 - (Number(value.slice(0, 8)) % 97);
}

const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** Australia (0151): the first digit counts one less. */
export function isAbn(value: string): boolean {
  if (!/^[0-9]{11}$/.test(value)) return false;
  const sum = total(digitsOf(value), (digit, at) => (at === 0 ? digit - 1 : digit) * (ABN_WEIGHTS[at] ?? 0));
  return sum % 89 === 0;
}

/** Sweden (0007): ten digits, the last by Luhn. */
export function isSwedishNumber(value: string): boolean {
  return value.length === 10 && startsAsSwedishNumber(value);
}

/** All digits, and the first ten of them fit by Luhn. */
export function startsAsSwedishNumber(value: string): boolean {
  return /^[0-9]{10,}$/.test(value) && luhn(digitsOf(value.slice(0, 10)).reverse()) % 10 === 0;
}

/** Greece: the first nine digits count. */
export function isGreekTin(value: string): boolean {
  if (!/^[0-9]{9}/.test(value)) return false;
  const digits = digitsOf(value.slice(0, 9));
  const check = digits.pop();
  return (total(digits, (digit, at) => digit * 2 ** (8 - at)) % 11) % 10 === check;
}

/** Italy's IPA code (0201). */
export function isIpaCode(value: string): boolean {
  return /^[A-Za-z0-9]{6}$/.test(value);
}

/** Italy's codice fiscale (0210, 9907): a person's by its pattern, a company's eleven digits. */
export function isCodiceFiscale(value: string): boolean {
  return /^[A-Za-z]{6}[0-9]{2}[A-Za-z][0-9]{2}.{3}[0-9][A-Za-z]$/.test(value) || /^[0-9]{11}$/.test(value);
}

/** Italy's partita IVA (0211). What does not begin with IT is another country's and not looked at. */
export function isPartitaIva(value: string): boolean {
  if (!/^(IT|it)/.test(value)) return true;
  const number = value.slice(2);
  return /^[0-9]{11}$/.test(number) && luhn(digitsOf(number)) % 10 === 0;
}

/** IBAN by ISO 13616; white space inside does not matter. */
export function isIban(value: string): boolean {
  const compact = value.replace(/\s+/g, '');
  if (!/^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{0,30}$/.test(compact)) return false;
  return remainder97(compact.slice(4) + compact.slice(0, 4)) === 1;
}

/** A letter counts as its place from A = 10; a small one as its place in ASCII has it, so that it practically never fits. */
function remainder97(characters: string): number {
  let remainder = 0;
  for (const character of characters) {
    const code = character.charCodeAt(0);
    const number = code > 64 ? code - 55 : code - CODE_0;
    remainder = (remainder * (number > 9 ? 100 : 10) + number) % 97;
  }
  return remainder;
}

/** Luhn's sum: every second digit doubled, and the digits of the doubled ones added. */
function luhn(digits: readonly number[]): number {
  return total(digits, (digit, at) => (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2));
}

function digitsOf(value: string): number[] {
  return Array.from(value, (digit) => digit.charCodeAt(0) - CODE_0);
}

function total(digits: readonly number[], weighted: (digit: number, at: number) => number): number {
  return digits.reduce((sum, digit, at) => sum + weighted(digit, at), 0);
}
