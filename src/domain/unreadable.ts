// Why bytes are no document, in a word that receipts tell, and what could be read of it all the same.
import type { SeenHead } from './document.ts';
import { AppError, type ErrorExtra } from './error.ts';
import { isFamilyName } from './family.ts';

export const UNREADABLE_CODES = ['truncated', 'not-well-formed', 'encoding', 'not-ubl', 'markup', 'envelope'] as const;
type UnreadableCode = (typeof UNREADABLE_CODES)[number];

/** The error `unreadable`, with the fact `truncated`, or `why`. */
export function unreadable(code: UnreadableCode, sentence: string, { cause, facts }: ErrorExtra = {}): AppError {
  const why = code === 'truncated' ? { truncated: true } : { why: code };
  return new AppError('unreadable', sentence, { cause, facts: { ...facts, ...why } });
}

/** The code of an error that reading threw. */
export function whyUnreadable({ facts }: AppError): UnreadableCode {
  if (facts.truncated === true) return 'truncated';
  return UNREADABLE_CODES.find((each) => each === facts.why) ?? 'not-well-formed';
}

/** The error with what had been read of the head. */
export function withSeenHead(error: AppError, seenHead: SeenHead): AppError {
  return new AppError(error.code, error.message, { cause: error.cause, facts: { ...error.facts, seenHead } });
}

/** What had been read of the head; null when it was not even the root element. */
export function seenHeadOf({ facts: { seenHead } }: AppError): SeenHead | null {
  if (typeof seenHead !== 'object' || seenHead === null) return null;
  const { family, documentId, sender, receiver }: { readonly [key: string]: unknown } = { ...seenHead };
  if (typeof family !== 'string' || !isFamilyName(family)) return null;
  return { family, documentId: textOrNull(documentId), sender: textOrNull(sender), receiver: textOrNull(receiver) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
