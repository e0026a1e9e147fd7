// Canonical XML 1.0 of an element, inclusive or exclusive, as signatures need it: names with their prefixes, and namespaces where they
// were declared. For small documents that somebody has signed; the trees of business documents know no prefixes.
import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { AppError, messageOf } from '#domain/error.ts';
import { unreadable } from '#domain/unreadable.ts';
import { decodeText } from './decode.ts';

export interface NamedElement extends Omit<NamedAttribute, 'value'> {
  readonly attributes: readonly NamedAttribute[];
  /** Namespaces that hold here, by prefix; '' is the default one. */
  readonly scope: ReadonlyMap<string, string>;
  readonly children: readonly (NamedElement | string)[];
}

interface NamedAttribute {
  /** As it was written: `ds:Signature`. */
  readonly qualified: string;
  readonly prefix: string;
  readonly name: string;
  readonly namespace: string;
  readonly value: string;
}

/** The child elements of this name. */
export function childrenNamed({ children }: NamedElement, namespace: string, name: string): NamedElement[] {
  return children.filter((each) => typeof each !== 'string').filter((each) => each.namespace === namespace && each.name === name);
}

/** The value of an attribute without a namespace. */
export function attributeNamed({ attributes }: NamedElement, name: string): string | undefined {
  return attributes.find((each) => each.namespace === '' && each.name === name)?.value;
}

/** The text directly in an element. */
export function textIn({ children }: NamedElement): string {
  return children.filter((each) => typeof each === 'string').join('');
}

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const DEPTH_MAX = 64;
const ELEMENTS_MAX = 20_000;
/** Also of namespaces that are declared. */
const ATTRIBUTES_MAX = 20_000;
/** Namespaces that hold at one place: each is looked at for each element below. */
const NAMESPACES_MAX = 64;

type Growing = NamedElement & { readonly children: (NamedElement | string)[] };

/** Reads a whole document. Throws `unreadable`; a DOCTYPE or a processing instruction is refused. */
export function readNamed(bytes: Uint8Array): NamedElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: Growing[] = [];
  let root: NamedElement | null = null;
  let elements = 0;
  let attributesSoFar = 0;
  parser.on('doctype', () => refuse('it has a DOCTYPE'));
  parser.on('processinginstruction', () => refuse('it has a processing instruction'));
  parser.on('attribute', () => {
    if (++attributesSoFar > ATTRIBUTES_MAX) refuse('it has too many attributes');
  });
  parser.on('opentag', ({ name, prefix, local, uri, attributes, ns }) => {
    const parent = open.at(-1);
    if (++elements > ELEMENTS_MAX || open.length >= DEPTH_MAX) refuse('it has too many elements');
    const scope = scopeOf(parent, ns);
    const own = Object.values(attributes)
      .filter((attribute) => attribute.uri !== XMLNS)
      .map(attributeOf);
    const element: Growing = { qualified: name, prefix, name: local, namespace: uri, attributes: own, scope, children: [] };
    parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const text = (value: string): void => void open.at(-1)?.children.push(value);
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => void open.pop());
  try {
    parser.write(decodeText(bytes).replaceAll(/\r\n?/g, '\n')).close();
  } catch (error) {
    if (error instanceof AppError) throw error;
    refuse(messageOf(error));
  }
  return root ?? refuse('it is empty');
}

/** What holds above, where nothing is declared in addition. */
function scopeOf(parent: NamedElement | undefined, declared: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const added = Object.entries(declared);
  if (parent && added.length === 0) return parent.scope;
  const scope = new Map([...(parent?.scope ?? []), ...added]);
  return scope.size > NAMESPACES_MAX ? refuse('it has too many namespaces') : scope;
}

function attributeOf({ name, prefix, local, uri, value }: SaxesAttributeNS): NamedAttribute {
  return { qualified: name, prefix, name: local, namespace: uri, value };
}

function refuse(what: string): never {
  throw unreadable('markup', `The document cannot be read: ${what}.`);
}

interface CanonicalForm {
  /** Exclusive canonicalisation: only namespaces that are used where they stand. */
  readonly exclusive: boolean;
  /** An element that is left out, with all that is in it: the signature that is enveloped. */
  readonly without?: NamedElement;
}

/** The canonical text of an element and what is in it (https://www.w3.org/TR/xml-c14n, https://www.w3.org/TR/xml-exc-c14n). */
export function canonicalXml(element: NamedElement, form: CanonicalForm): string {
  const parts: string[] = [];
  write(element, form, new Map(), parts);
  return parts.join('');
}

/** `rendered`: what the output says of namespaces so far. */
function write(element: NamedElement, form: CanonicalForm, rendered: ReadonlyMap<string, string>, parts: string[]): void {
  if (element === form.without) return;
  const declared = declarations(element, form, rendered);
  const holds = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  parts.push(`<${element.qualified}`);
  for (const [prefix, uri] of declared) parts.push(` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${attributeText(uri)}"`);
  for (const { qualified, value } of element.attributes.toSorted(byNamespaceAndName)) parts.push(` ${qualified}="${attributeText(value)}"`);
  parts.push('>');
  for (const child of element.children) {
    if (typeof child === 'string') parts.push(elementText(child));
    else write(child, form, holds, parts);
  }
  parts.push(`</${element.qualified}>`);
}

/** The namespaces that must be declared here, sorted by prefix: those that the output does not say yet. */
function declarations(element: NamedElement, { exclusive }: CanonicalForm, rendered: ReadonlyMap<string, string>): [string, string][] {
  const used = exclusive ? new Set([element.prefix, ...element.attributes.map(({ prefix }) => prefix).filter(Boolean)]) : null;
  const candidates = new Map([['', element.scope.get('') ?? ''], ...element.scope]);
  return [...candidates]
    .filter(
      ([prefix, uri]) => prefix !== 'xml' && prefix !== 'xmlns' && (used?.has(prefix) ?? true) && uri !== (rendered.get(prefix) ?? ''),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function byNamespaceAndName(a: NamedAttribute, b: NamedAttribute): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const VALUE: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' };

function elementText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => TEXT[character] ?? character);
}

function attributeText(text: string): string {
  return text.replace(/[&<"\t\n\r]/g, (character) => VALUE[character] ?? character);
}
