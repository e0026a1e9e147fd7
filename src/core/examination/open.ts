// Opening what came from the network: the envelope, and what is in it, a document that is examined or an answer to a message of ours.
import { openEnvelope } from '#core/network/opened-envelope.ts';
import { type NetworkResponse, responseIn } from '#core/network/responses.ts';
import type { DocumentHead } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { familyOfRoot } from '#domain/family.ts';
import type { Validation } from '#domain/validation.ts';
import { examine } from './examine.ts';

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

/** The sender has judged it by its rules, and the receiver wants to see it all the same. */
const LENIENT: Validation = { severity: 'warn', profiles: 'any' };

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
