// An envelope that came from the network, opened: what its header says, and the document in it.
import { createHash } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import { participantOf } from '#domain/participant.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { decodeText } from '#ubl/decode.ts';
import { readTree } from '#ubl/read.ts';
import { replay, type XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { SBDH } from './envelope.ts';
import { PARTICIPANT_SCHEME } from './identifiers.ts';

export interface OpenedEnvelope {
  readonly instanceId: string;
  /** Participants, in normal form. */
  readonly sender: string;
  readonly receiver: string;
  readonly payload: XmlElement;
  /** The payload as XML: the very text of the envelope where that stands by itself. */
  readonly document: Uint8Array;
}

const INSTANCE_CHARACTERS_MAX = 200;

/** Throws `unreadable` when it is no envelope, or none with what the network demands. */
export function openEnvelope(bytes: Uint8Array): OpenedEnvelope {
  const root = readTree(bytes);
  if (!is(root, 'StandardBusinessDocument')) throw unreadable('its root is no StandardBusinessDocument');
  const [header, payload, ...more] = root.children;
  if (!header || !is(header, 'StandardBusinessDocumentHeader')) throw unreadable('it has no StandardBusinessDocumentHeader');
  if (!payload || more.length > 0) throw unreadable('it must hold one document beside its header');
  const instanceId = text(header, 'DocumentIdentification', 'InstanceIdentifier');
  if (instanceId === '' || instanceId.length > INSTANCE_CHARACTERS_MAX) throw unreadable('its InstanceIdentifier is missing or too long');
  return {
    instanceId,
    sender: participant(header, 'Sender'),
    receiver: participant(header, 'Receiver'),
    payload,
    document: documentOf(bytes, payload),
  };
}

function participant(header: XmlElement, role: 'Sender' | 'Receiver'): string {
  const identifier = below(header, role, 'Identifier');
  const [scheme, ...value] = (identifier?.text.trim() ?? '').split(':');
  const found = participantOf(scheme, value.join(':'));
  if (!found || identifier?.attributes.get('Authority') !== PARTICIPANT_SCHEME) throw unreadable(`its ${role} is no participant`);
  return found;
}

/** What stands between the header and the end is the document's own text, unless it needs namespaces that are declared outside it. */
function documentOf(bytes: Uint8Array, payload: XmlElement): Uint8Array {
  const all = decodeText(bytes);
  const begins = /<\/(?:[\w.-]+:)?StandardBusinessDocumentHeader\s*>/.exec(all);
  const ends = [...all.matchAll(/<\/(?:[\w.-]+:)?StandardBusinessDocument\s*>/g)].at(-1);
  if (!begins || !ends) return writeXml(payload);
  const own = new TextEncoder().encode(all.slice(begins.index + begins[0].length, ends.index).trim());
  return isSame(own, payload) ? own : writeXml(payload);
}

function isSame(own: Uint8Array, payload: XmlElement): boolean {
  try {
    return digestOf(readTree(own)) === digestOf(payload);
  } catch {
    return false;
  }
}

function digestOf(element: XmlElement): string {
  const hash = createHash('sha256');
  replay(
    element,
    canonicalHandlers((piece) => void hash.update(piece)),
  );
  return hash.digest('hex');
}

function text(header: XmlElement, ...path: readonly string[]): string {
  return below(header, ...path)?.text.trim() ?? '';
}

function below(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return element;
  const child = element.children.find((each) => is(each, name));
  return child && below(child, ...rest);
}

function is({ name, namespace }: XmlElement, wanted: string): boolean {
  return name === wanted && namespace === SBDH;
}

function unreadable(what: string): AppError {
  return new AppError('unreadable', `The envelope is refused: ${what}.`);
}
