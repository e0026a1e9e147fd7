// The head of a document, read in one pass without building a tree; reading to the end shows that it is well-formed.
import { type DocumentHead, type Finding, refusedFor, type SeenHead } from '#domain/document.ts';

import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';
import { participantOf } from '#domain/participant.ts';
import { unreadable, withSeenHead } from '#domain/unreadable.ts';
import { joined } from './bytes.ts';
import { SBDH } from './envelope.ts';
import { type Field, familyOfElement, fieldsOf, type NameField, type Party, placeOf } from './head-fields.ts';
import { createReader, type Reader } from './read.ts';
import { createJsonReader } from './read-json.ts';
import { type Notation, sniff } from './sniff.ts';
import { CAC, CBC, type OpenElement, type ReadHandlers, type XmlElement } from './tree.ts';

export interface ReadHead extends DocumentHead {
  /** The document stood in an SBDH envelope (StandardBusinessDocument). */
  readonly enveloped: boolean;
  readonly notation: Notation;
  /** What its parties are called: each name once. */
  readonly names: Readonly<Record<Party, readonly string[]>>;
}

interface HeadReader {
  /** Reads on. Throws `unreadable`. */
  write(bytes: Uint8Array): void;
  /**
   * Throws `unreadable`, with the fact `truncated` when the document merely ends early; `invalid` with `details: Finding[]` when the head lacks
   * something. Both have the fact `seenHead`, once the root element was read.
   */
  end(): ReadHead;
}

/** BIS and PINT self-billing both say so in profile and customization; 389 and 261 are self-billed invoice and credit note (UNCL 1001). */
const SELF_BILLING = /selfbilling/i;
const SELF_BILLED_TYPES = new Set(['389', '261']);
const DOCUMENT_ID_CHARACTERS_MAX = 255;
/** A trading and a registered name of each party; a document may hold any number. */
const NAMES_MAX = 2;
const NAME_CHARACTERS_MAX = 200;

/** The head of a complete document, XML or JSON. Throws as HeadReader.end does. */
export function readHead(bytes: Uint8Array): ReadHead {
  const reader = createHeadReader();
  reader.write(bytes);
  return reader.end();
}

/** The head of a document that has been read. Throws as HeadReader.end does. */
export function headOfTree(root: XmlElement): Omit<ReadHead, 'notation'> {
  const collector = createCollector();
  tell(root, collector);
  return collector.head();
}

/** Leaves out what the collector does not look at: most of a document. */
function tell(element: XmlElement, collector: Collector): void {
  collector.open(element);
  if (collector.isLooking()) {
    collector.text(element.text);
    for (const child of element.children) tell(child, collector);
  }
  collector.close();
}

/** `also` hears everything that is read, in the same pass. */
export function createHeadReader(also?: ReadHandlers): HeadReader {
  const collector = createCollector();
  const handlers = also ? both(collector, also) : collector;
  let held: Uint8Array[] = [];
  let reader: Reader | null = null;
  let notation: Notation = 'xml';

  function begin(atEnd: boolean): void {
    const first = joined(held);
    const sniffed = sniff(first, atEnd);
    if (!sniffed) return;
    notation = sniffed;
    reader = sniffed === 'xml' ? createReader(handlers) : createJsonReader(handlers);
    held = [];
    reader.write(first);
  }

  function telling<Result>(step: () => Result): Result {
    try {
      return step();
    } catch (error) {
      const seen = collector.seen();
      // What the head lacks was found at its end, and tells more of it.
      throw error instanceof AppError && seen && error.facts.seenHead === undefined ? withSeenHead(error, seen) : error;
    }
  }

  return {
    write(bytes) {
      if (reader) return telling(() => reader?.write(bytes));
      held.push(bytes);
      telling(() => begin(false));
    },
    end: () =>
      telling(() => {
        if (!reader) begin(true);
        reader?.end();
        return { ...collector.head(), notation };
      }),
  };
}

interface Found {
  readonly text: string;
  readonly scheme: string | undefined;
  readonly line: number;
}

interface Collector extends ReadHandlers {
  /** What is inside the element that is open can matter. */
  isLooking(): boolean;
  head(): Omit<ReadHead, 'notation'>;
  /** What was read so far. Who sends a document is known at its end only. */
  seen(): SeenHead | null;
}

/** Listens to a document being read and keeps what the head needs. */
function createCollector(): Collector {
  const found = new Map<Field, Found>();
  const repeated = new Map<Field, number>();
  const names: Record<NameField, Set<string>> = { 'name of sender': new Set(), 'name of receiver': new Set() };
  let enveloped = false;
  let notation: Notation = 'xml';
  let family: Family | null = null;
  let rootDepth = 0;
  let depth = 0;
  /** Where we are below the root, while that is on the way to a field; null elsewhere. */
  let paths: (string | null)[] = [];
  let capture: { field: Field | NameField; depth: number; element: OpenElement; text: string } | null = null;

  function openRoot(element: OpenElement): void {
    if (depth === 1 && element.name === 'StandardBusinessDocument' && element.namespace === SBDH) {
      enveloped = true;
      return;
    }
    if (enveloped && depth > 2) return;
    if (enveloped && element.name === 'StandardBusinessDocumentHeader' && element.namespace === SBDH) return;
    family = familyOfElement(element);
    // Only what came as JSON tells whether it stood in a list.
    if (element.listed !== undefined) notation = 'json';
    rootDepth = depth;
    paths = [''];
  }

  function openBelow(within: Family, element: OpenElement): void {
    const below = depth - rootDepth;
    if (below < 1) throw unreadable('envelope', 'The envelope holds more than one document. Send each document in a file of its own.');
    const parent = paths[below - 1] ?? null;
    paths.length = below;
    paths.push(null);
    if (parent === null) return;
    const { fields, onTheWay } = fieldsOf(within);
    if (element.namespace === CAC && onTheWay.has(`${parent}${element.name}/`)) paths[below] = `${parent}${element.name}/`;
    const field = element.namespace === CBC ? fields.get(parent + element.name) : undefined;
    if (field) capture = { field, depth, element, text: '' };
  }

  return {
    open(element) {
      depth++;
      if (family) openBelow(family, element);
      else openRoot(element);
    },
    text(text) {
      if (capture && capture.depth === depth) capture.text += text;
    },
    close() {
      if (capture && capture.depth === depth) {
        const { field, element, text } = capture;
        if (isName(field)) keepName(names[field], text);
        else if (found.has(field)) repeated.set(field, element.line);
        else found.set(field, { text: text.trim(), scheme: element.attributes.get('schemeID'), line: element.line });
        capture = null;
      }
      depth--;
    },
    isLooking: () => !family || capture !== null || (paths[depth - rootDepth] ?? null) !== null,
    head() {
      if (!family)
        throw unreadable(
          'envelope',
          'The envelope (StandardBusinessDocument) holds no document. Put the UBL document into it, or send it alone.',
        );
      return { ...headOf({ family, notation }, found, repeated, names), enveloped };
    },
    seen: () => family && { family: family.name, documentId: found.get('id')?.text || null, sender: null, receiver: null },
  };
}

function isName(field: Field | NameField): field is NameField {
  return field === 'name of sender' || field === 'name of receiver';
}

function keepName(names: Set<string>, text: string): void {
  const name = text.trim().replaceAll(/\s+/g, ' ').slice(0, NAME_CHARACTERS_MAX);
  if (name !== '' && names.size < NAMES_MAX) names.add(name);
}

function headOf(
  { family, notation }: { readonly family: Family; readonly notation: Notation },
  found: ReadonlyMap<Field, Found>,
  repeated: ReadonlyMap<Field, number>,
  names: Readonly<Record<NameField, ReadonlySet<string>>>,
): DocumentHead & Pick<ReadHead, 'names'> {
  const text = (field: Field): string | null => found.get(field)?.text || null;
  const participant = (field: Field): string | undefined => participantOf(found.get(field)?.scheme, found.get(field)?.text);
  const customizationId = text('customization');
  const profileId = text('profile');
  const issueDate = text('issueDate');
  const swapped =
    family.selfBilling && (SELF_BILLING.test(`${customizationId} ${profileId}`) || SELF_BILLED_TYPES.has(text('typeCode') ?? ''));
  const [from, to]: [Party, Party] = swapped ? ['receiver', 'sender'] : ['sender', 'receiver'];
  const documentId = text('id') ?? '';
  const sender = participant(from);
  const receiver = participant(to);

  const details: Finding[] = [];
  const complain = (rule: string, field: Field, message: string): void => {
    const line = repeated.get(field) ?? found.get(field)?.line;
    const path = placeOf(family, field);
    const pointer = notation === 'json' ? { pointer: path.replaceAll(/c[ab]c:/g, '') } : {};
    details.push({ rule, severity: 'fatal', message, path, ...pointer, ...(line ? { line } : {}) });
  };
  const idElement = notation === 'json' ? 'ID' : 'cbc:ID';
  if (documentId === '') complain('head-id', 'id', `The ${family.name} has no document id: write it into ${idElement} below the root.`);
  else if (documentId.length > DOCUMENT_ID_CHARACTERS_MAX)
    complain('head-id', 'id', `The document id is longer than ${DOCUMENT_ID_CHARACTERS_MAX} characters: shorten ${idElement}.`);
  if (!sender) complain('head-sender', from, partyMessage('sender', found.get(from), notation));
  if (!receiver) complain('head-receiver', to, partyMessage('receiver', found.get(to), notation));
  for (const field of repeated.keys()) complain('head-once', field, 'The element occurs more than once: keep the one that is meant.');
  if (details.length > 0 || !sender || !receiver) {
    const seen = { family: family.name, documentId: documentId || null, sender: sender ?? null, receiver: receiver ?? null };
    throw withSeenHead(refusedFor(details), seen);
  }
  return {
    family: family.name,
    documentId,
    sender,
    receiver,
    customizationId,
    profileId,
    issueDate: issueDate !== null && /^\d{4}-\d{2}-\d{2}$/.test(issueDate) ? issueDate : null,
    names: { sender: [...names[`name of ${from}`]], receiver: [...names[`name of ${to}`]] },
  };
}

const ADDRESS_EXAMPLES: Readonly<Record<Notation, string>> = {
  xml: '<cbc:EndpointID schemeID="0088">7300010000001</cbc:EndpointID>',
  json: '"EndpointID": { "_": "7300010000001", "schemeID": "0088" }',
};

function partyMessage(party: 'sender' | 'receiver', endpoint: Found | undefined, notation: Notation): string {
  const example = ADDRESS_EXAMPLES[notation];
  return endpoint
    ? `The address of the ${party} is not usable: EndpointID needs a schemeID of four digits and a value without spaces, for example ${example}.`
    : `The document has no address of its ${party}: write an EndpointID, for example ${example}.`;
}

function both(one: ReadHandlers, other: ReadHandlers): ReadHandlers {
  return {
    open(element) {
      one.open(element);
      other.open(element);
    },
    text(text, line) {
      one.text(text, line);
      other.text(text, line);
    },
    comment() {
      one.comment?.();
      other.comment?.();
    },
    close() {
      one.close();
      other.close();
    },
  };
}
