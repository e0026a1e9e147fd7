// A tree to XML: UBL's own prefixes, right escaping, nothing that a strict reader would refuse.
import { AppError } from '#domain/error.ts';
import { CAC, CBC, EXT, type XmlElement } from './tree.ts';

const PREFIXES: ReadonlyMap<string, string> = new Map([
  [CAC, 'cac'],
  [CBC, 'cbc'],
  [EXT, 'ext'],
]);
const NO_PREFIXES: ReadonlyMap<string, string> = new Map();
/** Its prefix is its own everywhere; it may not be the default namespace. */
const XML = 'http://www.w3.org/XML/1998/namespace';

/** The document in UTF-8 with a declaration. Throws `invalid` when a value holds a character that XML does not have. */
export function writeXml(root: XmlElement): Uint8Array {
  const parts = ['<?xml version="1.0" encoding="UTF-8"?>\n'];
  const declared = [
    `xmlns="${escapeAttribute(root.namespace)}"`,
    ...[...PREFIXES].map(([namespace, prefix]) => `xmlns:${prefix}="${namespace}"`),
  ];
  writeElement(root, parts, PREFIXES, root.namespace, ` ${declared.join(' ')}`);
  return new TextEncoder().encode(`${parts.join('')}\n`);
}

/** One element as text that stands on its own, without prefixes and without a declaration. Throws as writeXml. */
export function writeFragment(element: XmlElement): string {
  const parts: string[] = [];
  writeElement(element, parts, NO_PREFIXES, '', '');
  return parts.join('');
}

function writeElement(
  element: XmlElement,
  parts: string[],
  prefixes: ReadonlyMap<string, string>,
  inherited: string,
  declarations: string,
): void {
  const prefix = element.namespace === XML ? 'xml' : prefixes.get(element.namespace);
  const name = prefix ? `${prefix}:${element.name}` : element.name;
  const standing = prefix || element.namespace === inherited ? inherited : element.namespace;
  parts.push('<', name, declarations);
  if (standing !== inherited) parts.push(` xmlns="${escapeAttribute(standing)}"`);
  writeAttributes(element, parts);
  if (element.text === '' && element.children.length === 0) {
    parts.push('/>');
    return;
  }
  parts.push('>');
  if (!element.mixed) parts.push(escapeText(element.text));
  for (const piece of element.mixed ?? element.children) {
    if (typeof piece === 'string') parts.push(escapeText(piece));
    else writeElement(piece, parts, prefixes, standing, '');
  }
  parts.push('</', name, '>');
}

/** A qualified attribute declares its own prefix where it stands. */
function writeAttributes(element: XmlElement, parts: string[]): void {
  if (element.attributes.size === 0) return;
  let foreign = 0;
  for (const [key, value] of element.attributes) {
    const [, namespace, local] = /^\{(.*)\}(.*)$/s.exec(key) ?? [];
    if (namespace === undefined) parts.push(` ${key}="${escapeAttribute(value)}"`);
    else if (namespace === XML) parts.push(` xml:${local}="${escapeAttribute(value)}"`);
    else {
      const prefix = `a${++foreign}`;
      parts.push(` xmlns:${prefix}="${escapeAttribute(namespace)}" ${prefix}:${local}="${escapeAttribute(value)}"`);
    }
  }
}

// XML 1.0 §2.2: everything but most control characters, surrogates, U+FFFE and U+FFFF.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;

/** Whatever may need a closer look; most texts hold none of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SPECIAL = /[\u0000-\u001f"&<>\ud800-\udfff\ufffe\uffff]/;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Throws `invalid` when the text holds a character that XML does not have. */
export function escapeText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  checkCharacters(text);
  return text.replace(/[&<>\r]/g, (character) => ENTITIES[character] ?? character);
}

function escapeAttribute(text: string): string {
  if (!SPECIAL.test(text)) return text;
  checkCharacters(text);
  return text.replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? character);
}

function checkCharacters(text: string): void {
  const bad = characterThatXmlLacks(text);
  if (bad !== undefined) throw new AppError('invalid', `A value holds the character ${bad}, which XML does not have. Remove it.`);
}

/** The first of them as `U+0007`; undefined when there is none. */
export function characterThatXmlLacks(text: string): string | undefined {
  const code = NOT_XML.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
