// Peppol participant identifiers: `scheme:value`, ISO 6523; values do not tell upper from lower case (peppol-network.md).
import { AppError } from './error.ts';

/** What the network calls such identifiers, all of them. */
export const PARTICIPANT_SCHEME = 'iso6523-actorid-upis';

const SCHEME = /^\d{4}$/;
const VALUE = /^[\x21-\x7e]{1,130}$/;

/** The normal form of a participant, lower case; undefined when it is none. */
export function participantOf(scheme: string | undefined, value: string | undefined): string | undefined {
  const trimmed = value?.trim() ?? '';
  return SCHEME.test(scheme ?? '') && VALUE.test(trimmed) ? `${scheme}:${trimmed.toLowerCase()}` : undefined;
}

/** Reads `0007:5567321707`; throws `usage` when it is not a participant, or its check digit is wrong. */
export function parseParticipant(text: string): string {
  const colon = text.indexOf(':');
  const participant = participantOf(text.slice(0, Math.max(colon, 0)), text.slice(colon + 1));
  if (!participant) {
    throw new AppError(
      'usage',
      `'${text}' is no participant: write SCHEME:VALUE with four digits before the colon, for example 0007:5567321707.`,
    );
  }
  if (participant.startsWith('0088:') && !isGln(participant.slice(5))) {
    throw new AppError('usage', `'${text}' is no participant: 0088 takes a GLN of 13 digits, and its check digit is wrong.`);
  }
  return participant;
}

/** GS1 check: weights 3, 1, 3, 1 … from the right, without the check digit. */
export function isGln(digits: string): boolean {
  return /^\d{13}$/.test(digits) && glnCheckDigit(digits.slice(0, 12)) === digits[12];
}

/** The check digit behind the other digits of a GLN, or of another number of GS1. */
export function glnCheckDigit(others: string): string {
  let sum = 0;
  for (const [index, digit] of [...others].reverse().entries()) sum += Number(digit) * (index % 2 === 0 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
}
