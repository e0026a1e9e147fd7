// An envelope that came from the network, opened: what its header says, and the document in it.
import { belowHeader, noEnvelope, partnerIn, unwrap } from '#ubl/envelope.ts';
import type { XmlElement } from '#ubl/tree.ts';

export interface OpenedEnvelope {
  readonly instanceId: string;
  /** Participants, in normal form. */
  readonly sender: string;
  readonly receiver: string;
  /** As XML: the very text of the envelope where that stands by itself. */
  readonly document: Uint8Array;
  /** As it is read from that. */
  readonly payload: XmlElement;
}

const INSTANCE_CHARACTERS_MAX = 200;

/** Throws `unreadable` when it is no envelope, or none with what the network demands. */
export function openEnvelope(bytes: Uint8Array): OpenedEnvelope {
  const { header, payload, document } = unwrap(bytes);
  const instanceId = belowHeader(header, 'DocumentIdentification', 'InstanceIdentifier')?.text.trim() ?? '';
  if (instanceId === '' || instanceId.length > INSTANCE_CHARACTERS_MAX) throw noEnvelope('its InstanceIdentifier is missing or too long');
  return { instanceId, sender: participant(header, 'Sender'), receiver: participant(header, 'Receiver'), payload, document };
}

function participant(header: XmlElement, role: 'Sender' | 'Receiver'): string {
  const found = partnerIn(header, role);
  if (!found) throw noEnvelope(`its ${role} is no participant`);
  return found;
}
