// Which address was probably meant by one that nobody answers to: the same number with the check digits that fit, or under the other scheme of its country.
import { isBelgianNumber, isGln, isNorwegianNumber, isSwedishNumber } from '#rules/common/check-digits.ts';

interface Checked {
  /** How numbers of the scheme look, without their check digits. */
  readonly body: RegExp;
  readonly checkDigits: number;
  readonly fits: (number: string) => boolean;
}

/** Schemes whose numbers end in check digits. */
const CHECKED: ReadonlyMap<string, Checked> = new Map([
  ['0007', { body: /^\d{9}$/, checkDigits: 1, fits: isSwedishNumber }],
  ['0088', { body: /^\d{12}$/, checkDigits: 1, fits: isGln }],
  ['0192', { body: /^\d{8}$/, checkDigits: 1, fits: isNorwegianNumber }],
  ['0208', { body: /^\d{8}$/, checkDigits: 2, fits: isBelgianNumber }],
]);

/** Schemes that name a company by the same number. */
const SIBLINGS: readonly (readonly [address: RegExp, sibling: string])[] = [
  // Belgium: the number in the register, and the VAT number.
  [/^0208:(\d{10})$/, '9925:be$1'],
  [/^9925:be(\d{10})$/, '0208:$1'],
];

/** A sentence where the check digits of the number do not fit; null otherwise. */
export function checkDigitFault(participant: string): string | null {
  const corrected = correctedOf(participant);
  return corrected.length === 0 ? null : `The check digit of ${participant} is wrong.`;
}

/** Addresses by which the same company may be registered, the likeliest first. */
export function alternativesOf(participant: string): string[] {
  return [participant, ...correctedOf(participant)].flatMap((each) => [...(each === participant ? [] : [each]), ...siblingsOf(each)]);
}

/** The same company under another scheme. */
export function siblingsOf(participant: string): string[] {
  return SIBLINGS.filter(([address]) => address.test(participant)).map(([address, sibling]) => participant.replace(address, sibling));
}

/** With the check digits that fit; empty when they do already, or none can. */
function correctedOf(participant: string): string[] {
  const [scheme = '', number = ''] = participant.split(':');
  const checked = CHECKED.get(scheme);
  if (!checked || checked.fits(number)) return [];
  const { body, checkDigits, fits } = checked;
  const beginning = number.slice(0, -checkDigits);
  if (!body.test(beginning)) return [];
  const endings = Array.from({ length: 10 ** checkDigits }, (_, each) => String(each).padStart(checkDigits, '0'));
  return endings
    .map((ending) => beginning + ending)
    .filter(fits)
    .map((each) => `${scheme}:${each}`);
}
