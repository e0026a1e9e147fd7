// UBL JSON to a tree, by the element model: `{ "Invoice": { "ID": { "_": "1001" }, … } }`, the model shape; the legacy shape (lists
// everywhere), both mixed, and bare values are read too. JSON has no order: children are told in the order of the model.
import { type Finding, fatal, refusedFor } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Basic } from '#ubl/model/data-types.ts';
import { type Aggregate, type Child, modelOf } from '#ubl/model/model.ts';
import { versionFor } from '#ubl/model/version.ts';
import { joined } from './bytes.ts';
import { tellBeginning } from './json-beginning.ts';
import { located } from './json-places.ts';
import {
  extensionObject,
  NO_LIST,
  NO_OBJECT,
  NO_SCALAR,
  NO_VALUE,
  noCharacter,
  noElements,
  noText,
  ONE_ROOT,
  tooLong,
  tooMany,
  unknownAttribute,
  unknownElement,
  unreadableExtension,
  wrongNamespace,
} from './json-sentences.ts';
import { isList, isNumber, isObject, type JsonObject, type JsonValue, readJson } from './json-text.ts';
import { pointerPart } from './pointer.ts';
import { type Reader, readTree } from './read.ts';
import { READ_LIMITS } from './read-limits.ts';
import type { Complaint } from './structure-rule.ts';
import { CAC, CBC, createTreeBuilder, documentNamespace, EXT, type ReadHandlers, replay, type XmlElement } from './tree.ts';
import { characterThatXmlLacks, escapeText } from './write.ts';

/** Whoever repairs these will see the next ones. */
const FINDINGS_MAX = 100;
/** Each has a parser of its own. */
const EXTENSIONS_MAX = 2000;
/** In XML: a value and its attributes, ten at most, stay below `runCharactersMax` together. */
const TEXT_CHARACTERS_MAX = 1_000_000;
const ATTRIBUTE_CHARACTERS_MAX = 90_000;
/** What one character may become in XML: `&quot;`. */
const ENTITY_CHARACTERS_MAX = 6;

/** Reads JSON and tells the events of its tree at the end: JSON cannot be judged before it is complete. */
export function createJsonReader(handlers: ReadHandlers): Reader {
  const chunks: Uint8Array[] = [];
  return {
    write: (bytes) => void chunks.push(bytes),
    end: () => tellOrBegin(joined(chunks), handlers),
  };
}

/** What is no JSON is told as far as it is worth knowing for its refusal. */
function tellOrBegin(bytes: Uint8Array, handlers: ReadHandlers): void {
  let document: JsonValue;
  try {
    document = readJson(bytes);
  } catch (error) {
    tellBeginning(bytes, handlers);
    throw error;
  }
  tellValue(document, bytes, handlers);
}

/** The tree of a JSON document. Throws `unreadable` when it is no JSON, `invalid` with `details: Finding[]` when it is not of UBL's shape. */
export function readJsonTree(bytes: Uint8Array): XmlElement {
  const builder = createTreeBuilder();
  tellDocument(bytes, builder);
  const root = builder.root();
  if (!root) throw refused([findingAt('', ONE_ROOT)]);
  return root;
}

/** One document being told. */
interface Telling {
  readonly handlers: ReadHandlers;
  readonly findings: Finding[];
  /** Extensions with content so far. */
  extensions: number;
}

/** Tells the events of a JSON document, as if its XML were being read. */
function tellDocument(bytes: Uint8Array, handlers: ReadHandlers): void {
  tellValue(readJson(bytes), bytes, handlers);
}

function tellValue(document: JsonValue, bytes: Uint8Array, handlers: ReadHandlers): void {
  try {
    tellRoot(document, handlers);
  } catch (error) {
    if (error instanceof Misshapen) throw refused(located(error.findings, bytes));
    throw error;
  }
}

/** What was found until it made no sense to look any further. */
class Misshapen extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('not of the shape of UBL');
    this.findings = findings;
  }
}

function tellRoot(document: JsonValue, handlers: ReadHandlers): void {
  if (isList(document)) throw new Misshapen([findingAt('', NO_LIST)]);
  if (!isObject(document)) throw new Misshapen([findingAt('', NO_OBJECT)]);
  const [name, ...others] = [...document.keys()].filter((key) => !Object.hasOwn(NAMESPACE_KEYS, key));
  if (name === undefined || others.length > 0) throw new Misshapen([findingAt('', ONE_ROOT)]);
  const value = document.get(name);
  const [root, ...more] = isList(value) ? value : [value];
  if (more.length > 0) throw new Misshapen([findingAt(`/${pointerPart(name)}`, NO_LIST)]);
  if (!isObject(root)) throw new Misshapen([findingAt(`/${pointerPart(name)}`, noElements(name.slice(0, 80)))]);

  const listed = isList(value) ? 0 : null;
  handlers.open({ name, namespace: documentNamespace(name), attributes: NO_ATTRIBUTES, line: 0, column: 0, listed });
  const type = modelOf(versionFor(name, textOf(root.get('CustomizationID')))).documents.get(name);
  if (!type)
    throw new Misshapen([
      findingAt(`/${pointerPart(name)}`, { rule: 'ubl-root', message: `'${name.slice(0, 80)}' is no document that is known here.` }),
    ]);
  const telling: Telling = { handlers: counted(handlers), findings: namespaceFindings(document, name), extensions: 0 };
  tellChildren(telling, root, type, listed === null ? `/${name}` : `/${name}/0`, 1);
  handlers.close();
  if (telling.findings.length > 0) throw new Misshapen(telling.findings);
}

/** Keys beside the root that name namespaces: allowed when they are right or say nothing (as in one official example), and not needed. */
const NAMESPACE_KEYS: Readonly<Record<string, (root: string) => string>> = {
  _D: documentNamespace,
  _A: () => CAC,
  _B: () => CBC,
  _E: () => EXT,
  _S: () => 'urn:oasis:names:specification:ubl:schema:xsd:CommonSignatureComponents-2',
};

function namespaceFindings(document: JsonObject, root: string): Finding[] {
  return Object.entries(NAMESPACE_KEYS).flatMap(([key, namespaceFor]) => {
    const namespace = namespaceFor(root);
    const given = document.get(key) ?? '';
    return given === '' || given === namespace ? [] : [findingAt(`/${key}`, wrongNamespace(key, namespace))];
  });
}

/** A document in JSON may have as much of everything as one in XML: it will be read as XML by others. */
function counted(handlers: ReadHandlers): ReadHandlers {
  const { elementsMax, attributesMax } = READ_LIMITS;
  let elements = 0;
  let attributes = 0;
  return {
    open(element) {
      if (++elements > elementsMax) throw tooBig(`${elementsMax} elements`);
      attributes += element.attributes.size;
      if (attributes > attributesMax) throw tooBig(`${attributesMax} attributes`);
      handlers.open(element);
    },
    text: (text) => handlers.text(text),
    close: () => handlers.close(),
  };
}

function tellChildren(telling: Telling, object: JsonObject, type: Aggregate, pointer: string, depth: number): void {
  const known: [child: Child, value: JsonValue][] = [];
  for (const [key, value] of object) {
    const child = type.byName.get(key);
    if (child) known.push([child, value]);
    else complain(telling, `${pointer}/${pointerPart(key)}`, unknownElement(key, type));
  }
  known.sort(([a], [b]) => a.position - b.position);
  for (const [child, value] of known) {
    const at = `${pointer}/${child.name}`;
    if (!isList(value)) {
      tellChild(telling, child, value, null, at, depth);
      continue;
    }
    if (value.length > 1 && !child.many) complain(telling, `${at}/1`, tooMany(child.name, type.name));
    else for (const [index, entry] of value.entries()) tellChild(telling, child, entry, index, `${at}/${index}`, depth);
  }
}

function tellChild(telling: Telling, child: Child, value: JsonValue, listed: number | null, pointer: string, depth: number): void {
  const { name, namespace, type } = child;
  if (depth >= READ_LIMITS.depthMax) throw tooBig(`${READ_LIMITS.depthMax} elements inside each other`);
  if (value === null || isList(value)) {
    complain(telling, pointer, NO_VALUE);
    return;
  }
  const attributes = type.kind === 'basic' && isObject(value) ? attributesOf(telling, name, value, type, pointer) : NO_ATTRIBUTES;
  telling.handlers.open({ name, namespace, attributes, line: 0, column: 0, listed });
  if (type.kind === 'basic') tellText(telling, name, value, type, pointer);
  else if (type.kind === 'foreign') tellExtension(telling, value, pointer, depth);
  else if (isObject(value)) tellChildren(telling, value, type, pointer, depth + 1);
  else complain(telling, pointer, noElements(name));
  telling.handlers.close();
}

function tellText(telling: Telling, name: string, value: JsonValue, { term }: Basic, pointer: string): void {
  const content = isObject(value) ? value.get('_') : value;
  const charactersMax = term === 'BinaryObject' ? Number.POSITIVE_INFINITY : TEXT_CHARACTERS_MAX;
  const text = writable(telling, content, charactersMax, () => (isObject(value) ? `${pointer}/_` : pointer));
  if (text !== undefined) telling.handlers.text(text);
  else if (content === undefined) complain(telling, pointer, noText(name));
}

/** The text of a value that can be written as XML and read again; anything else is complained about, unless it is not there at all. */
function writable(telling: Telling, value: JsonValue | undefined, charactersMax: number, pointer: () => string): string | undefined {
  const text = scalar(value);
  if (text === undefined) {
    if (value !== undefined) complain(telling, pointer(), NO_SCALAR);
    return undefined;
  }
  const character = characterThatXmlLacks(text);
  if (character !== undefined) complain(telling, pointer(), noCharacter(character));
  else if (text.length * ENTITY_CHARACTERS_MAX > charactersMax && escapeText(text).length > charactersMax) {
    complain(telling, pointer(), tooLong(charactersMax));
  }
  return text;
}

function attributesOf(telling: Telling, name: string, value: JsonObject, type: Basic, pointer: string): ReadonlyMap<string, string> {
  if (value.size <= 1 && value.has('_')) return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [key, entry] of value) {
    if (key === '_') continue;
    const at = `${pointer}/${pointerPart(key)}`;
    if (type.attributes.has(key)) attributes.set(key, writable(telling, entry, ATTRIBUTE_CHARACTERS_MAX, () => at) ?? '');
    else complain(telling, at, unknownAttribute(key, name, type));
  }
  return attributes;
}

/** Foreign XML has no form in JSON: it travels as it is, in a string. */
function tellExtension(telling: Telling, value: JsonValue, pointer: string, depth: number): void {
  const content = isObject(value) && value.size === 1 ? value.get('_') : value;
  if (typeof content !== 'string') {
    complain(telling, pointer, extensionObject());
    return;
  }
  if (content.trim() === '') return;
  if (++telling.extensions > EXTENSIONS_MAX) throw tooBig(`${EXTENSIONS_MAX} extensions`);
  try {
    const limits = { ...READ_LIMITS, depthMax: READ_LIMITS.depthMax - depth - 1 };
    replay(readTree(new TextEncoder().encode(content), limits), telling.handlers);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    complain(telling, pointer, unreadableExtension(error.message));
    // What cannot be read is paid for once.
    throw new Misshapen(telling.findings);
  }
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

function scalar(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? value.digits : undefined;
}

/** The text of a basic element however it is written; '' when there is none. */
function textOf(value: JsonValue | undefined): string {
  const one = isList(value) ? value[0] : value;
  return scalar(isObject(one) ? one.get('_') : one) ?? '';
}

function complain({ findings }: Telling, pointer: string, complaint: Complaint): void {
  findings.push(findingAt(pointer, complaint));
  if (findings.length >= FINDINGS_MAX) throw new Misshapen(findings);
}

function findingAt(pointer: string, { rule, message }: Complaint): Finding {
  return fatal(rule, message, pointer);
}

function tooBig(what: string): Misshapen {
  return new Misshapen([
    findingAt('', { rule: 'json-shape', message: `The document has more than ${what}, which no business document needs.` }),
  ]);
}

function refused(details: readonly Finding[]): AppError {
  const told = details.slice(0, 3).map(({ message, pointer }) => (pointer ? `${message} (${pointer})` : message));
  const more = details.length > told.length ? ` And ${details.length - told.length} more.` : '';
  return refusedFor(details, `${told.join(' ')}${more}`);
}
