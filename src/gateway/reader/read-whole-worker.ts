// The thread of close reading: what takes the whole tree of a document.
import type { Finding } from '#domain/document.ts';
import { UNKNOWN_PROFILE, validate } from '#rules/validate.ts';
import { answerTasks } from '#runtime/threads/thread.ts';
import { onlyAdds } from '#ubl/additions.ts';
import { readDocument } from '#ubl/document.ts';
import { partnerIn, unwrap } from '#ubl/envelope.ts';

export interface StudyTasks {
  /** The fatal findings of the rules, on a day (`YYYY-MM-DD`). */
  judge: { readonly asked: { readonly bytes: Uint8Array; readonly day: string }; readonly found: readonly Finding[] };
  /** Whether theirs is ours with additions. */
  contains: { readonly asked: { readonly ours: Uint8Array; readonly theirs: Uint8Array }; readonly found: boolean };
  unwrap: { readonly asked: { readonly bytes: Uint8Array }; readonly found: Unwrapped };
}

/** A document out of its envelope, and the participants that the header names. */
export interface Unwrapped {
  readonly document: Uint8Array;
  readonly sender: string | undefined;
  readonly receiver: string | undefined;
}

/** Told to the dropper; a document may break more. */
const LIMITS = { findingsMax: 200, findingsPerRuleMax: 20 };

answerTasks<StudyTasks>({
  // A profile that we have no rules for is for the service to judge.
  judge: ({ bytes, day }) =>
    validate(bytes, { day, limits: LIMITS }).findings.filter(({ severity, rule }) => severity === 'fatal' && rule !== UNKNOWN_PROFILE),

  contains: ({ ours, theirs }) => onlyAdds(readDocument(ours).root, readDocument(theirs).root),

  unwrap({ bytes }) {
    const { header, document } = unwrap(bytes);
    return { document, sender: partnerIn(header, 'Sender'), receiver: partnerIn(header, 'Receiver') };
  },
});
