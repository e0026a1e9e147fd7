// A document in its Standard Business Document Header: whom the header names, and the document by itself.
import type { AppError } from '#domain/error.ts';
import { PARTICIPANT_SCHEME, participantOf } from '#domain/participant.ts';
import { unreadable } from '#domain/unreadable.ts';
import { canonicalHandlers } from './canonical.ts';
import { decodeText } from './decode.ts';
import { readTree } from './read.ts';
import { replay, type XmlElement } from './tree.ts';
import { writeXml } from './write.ts';

export const SBDH = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader';

interface Unwrapped extends Payload {
  readonly header: XmlElement;
}

interface Payload {
  /** As XML: the very text of the envelope where that stands by itself. */
  readonly document: Uint8Array;
  /** As it is read from that. */
  readonly payload: XmlElement;
}

/** Throws `unreadable` when it is no envelope of one document. */
export function unwrap(bytes: Uint8Array): Unwrapped {
  const root = readTree(bytes);
  if (!isOfHeader(root, 'StandardBusinessDocument')) throw noEnvelope('its root is no StandardBusinessDocument');
  const [header, payload, ...more] = root.children;
  if (!header || !isOfHeader(header, 'StandardBusinessDocumentHeader')) throw noEnvelope('it has no StandardBusinessDocumentHeader');
  if (!payload || more.length > 0) throw noEnvelope('it must hold one document beside its header');
  return { header, ...standingAlone(bytes, payload) };
}

/** The participant that the header names in a role, in normal form; undefined when it names none. */
export function partnerIn(header: XmlElement, role: 'Sender' | 'Receiver'): string | undefined {
  const identifier = belowHeader(header, role, 'Identifier');
  if (identifier?.attributes.get('Authority') !== PARTICIPANT_SCHEME) return undefined;
  const [scheme, ...value] = identifier.text.trim().split(':');
  return participantOf(scheme, value.join(':'));
}

export function belowHeader(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return element;
  const child = element.children.find((each) => isOfHeader(each, name));
  return child && belowHeader(child, ...rest);
}

/** What stands between the header and the end is the document's own text, unless it needs namespaces that are declared outside it. */
function standingAlone(bytes: Uint8Array, payload: XmlElement): Payload {
  const all = decodeText(bytes);
  const begins = /<\/(?:[\w.-]+:)?StandardBusinessDocumentHeader\s*>/.exec(all);
  const ends = [...all.matchAll(/<\/(?:[\w.-]+:)?StandardBusinessDocument\s*>/g)].at(-1);
  const own = begins && ends ? all.slice(begins.index + begins[0].length, ends.index).trim() : '';
  return readAsSame(new TextEncoder().encode(own), payload) ?? read(writeXml(payload));
}

/** Null when the text says something else by itself. */
function readAsSame(own: Uint8Array, payload: XmlElement): Payload | null {
  try {
    const alone = read(own);
    return canonicalText(alone.payload) === canonicalText(payload) ? alone : null;
  } catch {
    return null;
  }
}

function read(document: Uint8Array): Payload {
  return { document, payload: readTree(document) };
}

function canonicalText(element: XmlElement): string {
  const pieces: string[] = [];
  replay(
    element,
    canonicalHandlers((piece) => void pieces.push(piece)),
  );
  return pieces.join('');
}

function isOfHeader({ name, namespace }: XmlElement, wanted: string): boolean {
  return name === wanted && namespace === SBDH;
}

export function noEnvelope(what: string): AppError {
  return unreadable('envelope', `The envelope is refused: ${what}.`);
}
