// Opening what came from the network: the envelope, and what is in it, a document that is examined or an answer to a message of ours.

import type { DocumentHead, Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { familyOfRoot } from '#domain/family.ts';
import { STRICT, type Validation } from '#domain/validation.ts';
import { UNKNOWN_PROFILE } from '#rules/validate.ts';
import { examine, study } from './examine.ts';
import { openEnvelope } from './opened-envelope.ts';
import { type NetworkResponse, responseIn } from './responses.ts';

/** Plain data, as what comes of it is: both may be sent to another thread. */
export interface Delivery {
  readonly bytes: Uint8Array;
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
}

export interface Opened {
  readonly instanceId: string;
  /** Participants, in normal form. */
  readonly sender: string;
  readonly receiver: string;
  /** What the envelope holds, as XML. */
  readonly document: Uint8Array;
  readonly holds:
    | { readonly kind: 'document'; readonly head: DocumentHead }
    | { readonly kind: 'answer'; readonly answer: NetworkResponse };
}

/** A delivery that was judged before its sender is told anything. */
export interface Judged extends Pick<Opened, 'instanceId' | 'sender' | 'receiver'> {
  /** It answers a message of ours. */
  readonly isAnswer: boolean;
  /** What is in the envelope; null for an answer, and for what is no document of a family. */
  readonly document: { readonly family: string; readonly documentId: string; readonly bytes: Uint8Array } | null;
  /** What its structure and rules are found to break. */
  readonly findings: readonly Finding[];
}

/** The sender has judged it by its rules, and the receiver wants to see it all the same. */
const LENIENT: Validation = { ...STRICT, severity: 'warn', profiles: 'any' };

/** Throws `unreadable` and `invalid` for what will never be taken. */
export function open({ bytes, day }: Delivery): Opened {
  const { payload, ...envelope } = openEnvelope(bytes);
  const answer = responseIn(payload);
  if (answer) return { ...envelope, holds: { kind: 'answer', answer } };
  const family = familyOfRoot(payload.name);
  if (!family) throw new AppError('invalid', `The envelope holds ${payload.name.slice(0, 100)}, which this service does not take.`);
  const { head } = examine({ family: family.name, notation: 'xml', body: envelope.document, validation: LENIENT, day });
  return { ...envelope, holds: { kind: 'document', head } };
}

/** Throws `unreadable` when it is no envelope, or holds nothing that can be read. Nothing is refused for want of rules. */
export function judgeDelivery({ bytes, day }: Delivery): Judged {
  const { payload, document, ...envelope } = openEnvelope(bytes);
  if (responseIn(payload)) return { ...envelope, isAnswer: true, document: null, findings: [] };
  const family = familyOfRoot(payload.name);
  if (!family) {
    const message = `The envelope holds ${payload.name.slice(0, 100)}, which the receiver does not take.`;
    return { ...envelope, isAnswer: false, document: null, findings: [{ rule: 'envelope', severity: 'fatal', message }] };
  }
  const { head, problems, findings } = study({ body: document, day });
  return {
    ...envelope,
    isAnswer: false,
    document: { family: family.name, documentId: head?.documentId ?? '', bytes: document },
    findings: [...problems, ...findings.map(easedProfile)],
  };
}

function easedProfile(found: Finding): Finding {
  return found.rule === UNKNOWN_PROFILE ? { ...found, severity: 'warning' } : found;
}
