// Opens an envelope that came from the network. It holds a document, which is examined, or a response to a message of ours.

import { type DocumentHead, type Finding, fatal } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { familyOfRoot } from '#domain/family.ts';
import { LENIENT } from '#domain/validation.ts';
import { UNKNOWN_PROFILE } from '#rules/outcomes.ts';
import { inspectTree } from './examine.ts';
import { type OpenedEnvelope, openEnvelope } from './opened-envelope.ts';
import { permit } from './permit.ts';
import { type NetworkResponse, responseIn } from './responses.ts';

/** Plain data, as the results are: all may be sent to another thread. */
export interface Delivery {
  readonly bytes: Uint8Array;
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
}

export interface Opened extends Omit<OpenedEnvelope, 'payload'> {
  readonly holds:
    | { readonly kind: 'document'; readonly head: DocumentHead }
    | { readonly kind: 'response'; readonly response: NetworkResponse };
}

/** The judgement of a delivery, before the access point responds to its sender. */
export interface Judged extends Pick<Opened, 'instanceId' | 'sender' | 'receiver'> {
  /** It holds a response to a message of ours. */
  readonly isResponse: boolean;
  /** The document in the envelope; null for a response, and for a document of no family that is exchanged here. */
  readonly document: { readonly family: string; readonly documentId: string; readonly bytes: Uint8Array } | null;
  /** Rules that the document breaks, of its structure or its profile. */
  readonly findings: readonly Finding[];
}

/** Throws `unreadable` and `invalid` for an envelope that will never be taken. */
export async function open({ bytes, day }: Delivery): Promise<Opened> {
  const { payload, ...envelope } = openEnvelope(bytes);
  const response = responseIn(payload);
  if (response) return { ...envelope, holds: { kind: 'response', response } };
  const family = familyOfRoot(payload.name);
  if (!family) throw new AppError('invalid', `The envelope holds ${payload.name.slice(0, 100)}, which this service does not take.`);
  // The sender has judged the document by its own rules, and the receiver wants to see it also when it breaks ours.
  const sent = { family: family.name, notation: 'xml', validation: LENIENT } as const;
  const { head } = permit({ notation: 'xml', ...(await inspectTree(payload, day)) }, sent);
  return { ...envelope, holds: { kind: 'document', head } };
}

/** Throws `unreadable` when it is no envelope, or holds nothing that can be read. Nothing is refused for want of rules. */
export async function judgeDelivery({ bytes, day }: Delivery): Promise<Judged> {
  const { payload, document, ...envelope } = openEnvelope(bytes);
  if (responseIn(payload)) return { ...envelope, isResponse: true, document: null, findings: [] };
  const family = familyOfRoot(payload.name);
  if (!family) {
    const message = `The envelope holds ${payload.name.slice(0, 100)}, which the receiver does not take.`;
    return { ...envelope, isResponse: false, document: null, findings: [fatal('envelope', message)] };
  }
  const { head, problems, findings } = await inspectTree(payload, day);
  return {
    ...envelope,
    isResponse: false,
    document: { family: family.name, documentId: head?.documentId ?? '', bytes: document },
    findings: [...problems, ...findings.map(easedProfile)],
  };
}

function easedProfile(found: Finding): Finding {
  return found.rule === UNKNOWN_PROFILE ? { ...found, severity: 'warning' } : found;
}
