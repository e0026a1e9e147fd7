// UBL JSON to tree and back: `{ "Invoice": { "ID": { "_": "1001" }, … } }`, the model shape; the legacy shape (lists everywhere) is read too.
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { joined } from './bytes.ts';
import { isList, isNumber, isObject, type JsonObject, type JsonValue, readJson } from './json-text.ts';
import { READ_LIMITS, type Reader, readTree } from './read.ts';
import { SHAPE_BY_NAME, type Shape } from './shape.ts';
import {
  CAC,
  CBC,
  createTreeBuilder,
  documentNamespace,
  EXT,
  type OpenElement,
  type ReadHandlers,
  replay,
  type XmlElement,
} from './tree.ts';
import { writeFragment } from './write.ts';

/** Keys beside the root that name namespaces; allowed, and not needed. */
const NAMESPACE_KEYS = new Set(['_D', '_A', '_B', '_E', '_S']);
/** UBL names: aggregates and values begin with a capital letter, attributes do not. */
const ELEMENT = /^[A-Z][A-Za-z0-9]{0,255}$/;
const ATTRIBUTE = /^[a-z][A-Za-z0-9]{0,255}$/;
const EXTENSION = /^(?:UBLExtensions?|Extension[A-Z]\w*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Reads JSON and tells the events of its tree at the end. JSON cannot be judged before it is complete. */
export function createJsonReader(handlers: ReadHandlers): Reader {
  const chunks: Uint8Array[] = [];
  return {
    write: (bytes) => void chunks.push(bytes),
    end: () => tell(readJson(joined(chunks)), handlers),
  };
}

/** The tree of a JSON document. Throws `unreadable` when it is no JSON, `invalid` with `details` when it is not of UBL's shape. */
export function readJsonTree(bytes: Uint8Array): XmlElement {
  const builder = createTreeBuilder();
  tell(readJson(bytes), builder);
  const root = builder.root();
  if (!root) throw misshapen('', 'The document must have exactly one root element, { "Invoice": { … } }.');
  return root;
}

/** Tells the events of a JSON document, as if its XML were being read. */
function tell(document: JsonValue, handlers: ReadHandlers): void {
  if (isList(document)) throw misshapen('', 'A list of documents is not accepted: send each document in a file or request of its own.');
  if (!isObject(document)) throw misshapen('', 'The document must be an object whose key is the root element, { "Invoice": { … } }.');
  const roots = [...document.keys()].filter((key) => !NAMESPACE_KEYS.has(key));
  const [name] = roots;
  if (name === undefined || roots.length > 1) throw misshapen('', 'The document must have exactly one root element, { "Invoice": { … } }.');
  const [root, ...more] = entries(document.get(name));
  if (more.length > 0) throw misshapen(`/${name}`, 'A list of documents is not accepted: send each document by itself.');
  if (!isObject(root) || !ELEMENT.test(name)) throw misshapen(`/${name}`, 'The root element must be an object.');
  handlers.open(elementOf(name, documentNamespace(name)));
  tellChildren(root, `/${name}`, { left: READ_LIMITS.elementsMax }, handlers);
  handlers.close();
}

/** What stands under the root's key, as JSON text: for an Invoice the `{…}` of `{"Invoice":{…}}`. Digits stay as they are. */
export function jsonOf(root: XmlElement, shape: Shape = SHAPE_BY_NAME): string {
  return aggregateText(root, shape);
}

/** Elements that a document may still have: as many as in XML, counted before they are made. */
interface Room {
  left: number;
}

function tellChildren(object: JsonObject, pointer: string, room: Room, handlers: ReadHandlers): void {
  for (const [name, value] of object) {
    const at = `${pointer}/${name}`;
    if (!ELEMENT.test(name))
      throw misshapen(
        at,
        `'${name.slice(0, 80)}' is no element of UBL; an attribute needs its element's value beside it, under the key _.`,
      );
    const list = isList(value);
    const listed = entries(value);
    room.left -= listed.length;
    if (room.left < 0)
      throw misshapen('', `The document has more than ${READ_LIMITS.elementsMax} elements, which no business document needs.`);
    for (const [index, entry] of listed.entries()) tellChild(name, entry, list ? `${at}/${index}` : at, room, handlers);
  }
}

function tellChild(name: string, value: JsonValue | undefined, pointer: string, room: Room, handlers: ReadHandlers): void {
  const common = EXTENSION.test(name) ? EXT : CBC;
  const text = scalar(value);
  if (text !== undefined) {
    handlers.open(elementOf(name, common));
    handlers.text(text);
  } else if (!isObject(value)) {
    throw misshapen(pointer, 'null and lists in lists are not allowed: leave the element out, or write its value.');
  } else if (!value.has('_')) {
    handlers.open(elementOf(name, common === EXT ? EXT : CAC));
    tellChildren(value, pointer, room, handlers);
  } else {
    tellValue(name, common, value, pointer, handlers);
  }
  handlers.close();
}

function tellValue(name: string, namespace: string, value: JsonObject, pointer: string, handlers: ReadHandlers): void {
  const content = scalar(value.get('_'));
  if (content === undefined) throw misshapen(`${pointer}/_`, 'The value of an element must be a string, a number, true or false.');
  if (name === 'ExtensionContent') {
    handlers.open(elementOf(name, EXT));
    replay(readTree(new TextEncoder().encode(content)), handlers);
    return;
  }
  const attributes = new Map<string, string>();
  for (const [key, entry] of value) {
    const text = scalar(entry);
    if (key === '_') continue;
    if (!ATTRIBUTE.test(key) || text === undefined) throw misshapen(`${pointer}/${key}`, `'${key.slice(0, 80)}' is no attribute of UBL.`);
    attributes.set(key, text);
  }
  handlers.open(elementOf(name, namespace, attributes));
  handlers.text(content);
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

function elementOf(name: string, namespace: string, attributes = NO_ATTRIBUTES): OpenElement {
  return { name, namespace, attributes, line: 0, column: 0 };
}

function scalar(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? value.digits : undefined;
}

function entries(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return isList(value) ? value : [value];
}

function misshapen(pointer: string, message: string): AppError {
  const finding: Finding = { rule: 'json-shape', severity: 'fatal', message, path: pointer === '' ? '/' : pointer };
  return new AppError('invalid', pointer === '' ? message : `${message} (${pointer})`, { facts: { details: [finding] } });
}

function aggregateText(element: XmlElement, shape: Shape): string {
  const byName = new Map<string, XmlElement[]>();
  for (const child of element.children) {
    const named = byName.get(child.name);
    if (named) named.push(child);
    else byName.set(child.name, [child]);
  }
  const members = [...byName].map(([name, children]) => {
    const texts = children.map((child) => elementText(child, shape));
    const list = texts.length > 1 || shape.isList(element.name, name);
    return `${JSON.stringify(name)}:${list ? `[${texts.join(',')}]` : texts[0]}`;
  });
  return `{${members.join(',')}}`;
}

function elementText(element: XmlElement, shape: Shape): string {
  if (element.name === 'ExtensionContent' && element.namespace === EXT) {
    return `{"_":${JSON.stringify(element.children.map(writeFragment).join(''))}}`;
  }
  if (element.children.length > 0 || element.namespace === CAC) return aggregateText(element, shape);
  const attributes = [...element.attributes].filter(([key]) => !key.startsWith('{'));
  const members = attributes.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{"_":${valueText(element, shape)}${members.join('')}}`;
}

function valueText(element: XmlElement, shape: Shape): string {
  const kind = shape.kindOf(element.name);
  if (kind !== 'text') {
    const text = element.text.trim();
    if (kind === 'number' ? NUMBER.test(text) : text === 'true' || text === 'false') return text;
  }
  return JSON.stringify(element.text);
}
