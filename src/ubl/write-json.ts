// A tree to UBL JSON, the model shape: a list exactly where the model allows more than one, numbers with the digits of the XML.
import { type Basic, basicNamed } from '#ubl/model/data-types.ts';
import { trimmed } from '#ubl/model/lexical.ts';
import { type Aggregate, type Child, modelOf, type Type } from '#ubl/model/model.ts';
import { versionOf } from '#ubl/model/version.ts';
import { CAC, EXT, type XmlElement } from './tree.ts';
import { writeFragment } from './write.ts';

/** The whole document, `{"Invoice":{…}}`, in UTF-8. */
export function writeJson(root: XmlElement): Uint8Array {
  return new TextEncoder().encode(`{${JSON.stringify(root.name)}:${jsonOf(root)}}\n`);
}

/** What stands under the root's key: for an Invoice the `{…}` of `{"Invoice":{…}}`. */
export function jsonOf(root: XmlElement): string {
  const parts: string[] = [];
  writeAggregate(root, modelOf(versionOf(root)).documents.get(root.tag), parts);
  return parts.join('');
}

/** The attributes that JSON has no place for, each once, as they are usually written: `xsi:schemaLocation`. */
export function lostInJson(root: XmlElement): readonly string[] {
  const lost = new Set<string>();
  const look = ({ tag, attributes, children }: XmlElement): void => {
    for (const key of attributes.keys()) if (key.startsWith('{')) lost.add(`xsi:${key.slice(key.indexOf('}') + 1)}`);
    if (tag !== 'ext:ExtensionContent') for (const child of children) look(child);
  };
  look(root);
  return [...lost];
}

function writeAggregate({ children }: XmlElement, type: Aggregate | undefined, parts: string[]): void {
  let before = '{';
  for (const [name, alike] of byName(children)) {
    const child = alike[0] && type?.byTag.get(alike[0].tag);
    const list = alike.length > 1 || child?.many === true;
    parts.push(before, '"', name, list ? '":[' : '":');
    for (const [index, one] of alike.entries()) {
      if (index > 0) parts.push(',');
      writeElement(one, child, parts);
    }
    if (list) parts.push(']');
    before = ',';
  }
  parts.push(before === '{' ? '{}' : '}');
}

/** Those of one name together, in the order of the first of each. */
function byName(children: readonly XmlElement[]): Iterable<readonly [string, readonly XmlElement[]]> {
  return Map.groupBy(children, ({ name }) => name);
}

/** Elements that the model does not know are written by what they look like. */
function writeElement(element: XmlElement, child: Child | undefined, parts: string[]): void {
  const type = child?.type ?? typeByLook(element);
  if (type?.kind === 'basic') writeBasic(element, type, parts);
  else if (type?.kind === 'foreign') parts.push(`{"_":${JSON.stringify(element.children.map(writeFragment).join(''))}}`);
  else writeAggregate(element, type, parts);
}

function typeByLook({ children, namespace, name }: XmlElement): Type | undefined {
  if (namespace === EXT && name === 'ExtensionContent') return { kind: 'foreign' };
  return children.length > 0 || namespace === CAC ? undefined : basicNamed(name);
}

function writeBasic({ text, attributes }: XmlElement, { content }: Basic, parts: string[]): void {
  parts.push('{"_":', scalarText(text, content));
  for (const [key, value] of attributes) {
    // Qualified attributes are hints for schema validators, no data.
    if (!key.startsWith('{')) parts.push(`,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  parts.push('}');
}

/** RFC 8259 §6; other spellings of a number, which XML allows (+1, .5, 007), stay strings; so does white space around it, which some rules count. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function scalarText(text: string, content: Basic['content']): string {
  if (content === 'decimal' && NUMBER.test(text)) return text;
  const word = content === 'boolean' ? trimmed(text) : '';
  return word === 'true' || word === 'false' ? word : JSON.stringify(text);
}
