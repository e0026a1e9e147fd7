// The envelope of the network: a document below its Standard Business Document Header (Peppol Business Message Envelope 2.0), written.
import { isoTime } from '#domain/day.ts';
import { PARTICIPANT_SCHEME } from '#domain/participant.ts';
import { decodeText } from '#ubl/decode.ts';
import { SBDH } from '#ubl/envelope.ts';
import { escapeText } from '#ubl/write.ts';
import type { Identifier, Routing } from './identifiers.ts';

interface Envelope extends Routing {
  /** UUID: the network's name for this transmission. */
  readonly instanceId: string;
  readonly createdAtMs: number;
  /** The country of the sender (C1), two letters. */
  readonly country: string;
}

/** The document, XML in any encoding that is read here, in its envelope, as UTF-8. */
export function writeEnvelope(envelope: Envelope, document: Uint8Array): Uint8Array {
  const { sender, receiver, documentType, process, instanceId, createdAtMs, country } = envelope;
  const { namespace, root, version } = partsOf(documentType);
  const header = [
    element('HeaderVersion', '1.0'),
    partner('Sender', sender),
    partner('Receiver', receiver),
    block('DocumentIdentification', [
      element('Standard', namespace),
      element('TypeVersion', version),
      element('InstanceIdentifier', instanceId),
      element('Type', root),
      element('CreationDateAndTime', isoTime(createdAtMs)),
    ]),
    block('BusinessScope', [
      identified('DOCUMENTID', documentType),
      identified('PROCESSID', process),
      stated('COUNTRY_C1', country),
      // Without it the receiver's side would only ever say no.
      stated('MLS_TYPE', 'ALWAYS_SEND'),
    ]),
  ];
  const payload = withoutDeclaration(decodeText(document));
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<StandardBusinessDocument xmlns="${SBDH}">${block('StandardBusinessDocumentHeader', header)}${payload}</StandardBusinessDocument>\n`,
  );
}

/** `namespace::root##customization::version`. */
function partsOf({ value }: Identifier): { namespace: string; root: string; version: string } {
  const [subtype = ''] = value.split('##');
  const [namespace = '', root = ''] = subtype.split('::');
  return { namespace, root, version: value.split('::').at(-1) ?? '' };
}

function partner(role: 'Sender' | 'Receiver', participant: string): string {
  return block(role, [`<Identifier Authority="${PARTICIPANT_SCHEME}">${escapeText(participant)}</Identifier>`]);
}

function identified(type: string, { scheme, value }: Identifier): string {
  return block('Scope', [element('Type', type), element('InstanceIdentifier', value), element('Identifier', scheme)]);
}

function stated(type: string, value: string): string {
  return block('Scope', [element('Type', type), element('InstanceIdentifier', value)]);
}

function block(name: string, inside: readonly string[]): string {
  return `<${name}>${inside.join('')}</${name}>`;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeText(text)}</${name}>`;
}

/** A byte order mark and an XML declaration may stand at the beginning of a file only. */
function withoutDeclaration(text: string): string {
  return text.replace(/^\ufeff?(?:<\?xml\s[^>]*\?>)?\s*/, '').trimEnd();
}
