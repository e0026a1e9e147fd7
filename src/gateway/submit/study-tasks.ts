// Close reading: what takes the whole tree of a document. Pure work, for a thread of its own.
import type { Finding } from '#domain/document.ts';
import { UNKNOWN_PROFILE, validate } from '#rules/validate.ts';
import { onlyAdds } from '#ubl/additions.ts';
import { readDocument } from '#ubl/document.ts';
import { partnerIn, unwrap } from '#ubl/envelope.ts';
import type { StudyName, StudyTasks, Unwrapped } from './study-messages.ts';

/** Told to the dropper; a document may break more. */
const LIMITS = { findingsMax: 200, findingsPerRuleMax: 20 };

type Doers = { readonly [Name in StudyName]: (asked: StudyTasks[Name]['asked']) => StudyTasks[Name]['found'] };

const DOERS: Doers = {
  // A profile that we have no rules for is for the service to judge.
  judge: ({ bytes, day }): readonly Finding[] =>
    validate(bytes, { day, limits: LIMITS }).findings.filter(({ severity, rule }) => severity === 'fatal' && rule !== UNKNOWN_PROFILE),

  contains: ({ ours, theirs }) => onlyAdds(readDocument(ours).root, readDocument(theirs).root),

  unwrap({ bytes }): Unwrapped {
    const { header, document } = unwrap(bytes);
    return { document, sender: partnerIn(header, 'Sender'), receiver: partnerIn(header, 'Receiver') };
  },
};

/** Throws `unreadable`, `invalid`. */
export function study<Name extends StudyName>({
  name,
  asked,
}: {
  name: Name;
  asked: StudyTasks[Name]['asked'];
}): StudyTasks[Name]['found'] {
  return DOERS[name](asked);
}
