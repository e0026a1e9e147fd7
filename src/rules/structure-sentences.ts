// The sentences about broken structure.
import { nearest } from '#domain/nearest.ts';
import { FOREIGN } from '#ubl/head-fields.ts';
import type { Basic, Content } from '#ubl/model/data-types.ts';
import type { Aggregate, Child, Model } from '#ubl/model/model.ts';
import type { Complaint } from '#ubl/structure-rule.ts';
import { documentNamespace, type XmlElement } from '#ubl/tree.ts';

export function rootSentence(root: XmlElement, { version, documents }: Model): Complaint {
  if (documents.has(root.name)) return { rule: 'ubl-root', message: `Give ${root.name} the namespace ${documentNamespace(root.name)}.` };
  if (Object.hasOwn(FOREIGN, root.name)) return { rule: 'ubl-root', message: `The file is ${FOREIGN[root.name]}.` };
  const known = [...documents.keys()];
  const like = nearest(root.name, known);
  const meant = like ? `Did you mean ${like}?` : `Send one of ${known.join(', ')}.`;
  return { rule: 'ubl-root', message: `'${shown(root)}' is no document of UBL ${version} that is known here. ${meant}` };
}

/** The child that an unknown one was probably meant to be: the same name in another namespace, or one that is spelt alike. */
export function meantBy(child: XmlElement, { byName }: Aggregate): Child | undefined {
  const name = byName.has(child.name) ? child.name : nearest(child.name.slice(0, NAME_CHARACTERS_MAX), [...byName.keys()]);
  return name === undefined ? undefined : byName.get(name);
}

/** An element that may not stand where it does: in the wrong namespace, misspelt, or of another place. */
export function unknownSentence(
  child: XmlElement,
  { name, children }: Aggregate,
  meant: Child | undefined,
  { version, tags }: Model,
): Complaint {
  const misplaced = MISPLACED.get(`${name} ${child.tag}`) ?? MISPLACED.get(child.tag);
  if (misplaced !== undefined) return { rule: 'ubl-element', message: misplaced };
  if (meant?.name === child.name) {
    const given = child.namespace === '' ? 'no namespace' : `the namespace '${child.namespace.slice(0, 200)}'`;
    return {
      rule: 'ubl-namespace',
      message: `${child.name} has ${given}: write it as ${meant.tag}, with the namespace ${meant.namespace}.`,
    };
  }
  if (meant) return { rule: 'ubl-element', message: `${shown(child)} is no element of ${name}: did you mean ${meant.tag}?` };
  const message = tags.has(child.tag)
    ? `${child.tag} does not belong in ${name}: move it to the element that it describes, or remove it.`
    : `UBL ${version} has no element ${shown(child)}: remove it.${children.length > ALL_SHOWN_MAX ? '' : ` ${name} holds ${children.map(({ tag }) => tag).join(', ')}.`}`;
  return { rule: 'ubl-element', message };
}

const ALL_SHOWN_MAX = 8;
const SIGNATURES = 'ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent';

/** What people put where it does not belong, by the element it stands in where that matters, and where it goes. */
const MISPLACED: ReadonlyMap<string, string> = new Map([
  [
    'CreditNote cbc:DueDate',
    'A credit note has no cbc:DueDate of its own: write the day into cac:PaymentMeans/cbc:PaymentDueDate, or take it out.',
  ],
  [
    '{http://www.w3.org/2000/09/xmldsig#}Signature',
    `A signature (ds:Signature) stands in an extension, in the sig:UBLDocumentSignatures of ${SIGNATURES}: move it there, or take it out. cac:Signature only says who signed.`,
  ],
]);

export function childlessSentence(element: XmlElement, child: XmlElement): Complaint {
  return { rule: 'ubl-element', message: `${element.tag} holds a value, no elements: remove ${shown(child)} from it.` };
}

export function lateSentence(child: XmlElement, before: XmlElement): Complaint {
  return { rule: 'ubl-order', message: `${child.tag} must stand before ${before.tag}: move it there.` };
}

export function earlySentence(child: XmlElement, after: XmlElement): Complaint {
  return { rule: 'ubl-order', message: `${child.tag} must stand after ${after.tag}: move it there.` };
}

export function repeatedSentence(child: XmlElement): Complaint {
  const inside = child.parent ? ` in ${child.parent.tag}` : '';
  return { rule: 'ubl-cardinality', message: `${child.tag} may stand only once${inside}: keep the one that is meant.` };
}

export function crowdedSentence({ tag }: XmlElement, max: number): Complaint {
  return { rule: 'ubl-cardinality', message: `${tag} stands more than ${max} times here, which no business document needs: merge them.` };
}

export function missingSentence(element: XmlElement, missing: Child, { children }: Aggregate): Complaint {
  const next = element.children.find(({ tag }) => children.some((child) => child.tag === tag && child.position > missing.position));
  const where = next ? ` before ${next.tag}` : element.children.length > 0 ? ' at its end' : '';
  return { rule: 'ubl-cardinality', message: `${element.tag} has no ${missing.tag}, which it must have: add it${where}.` };
}

export function textSentence({ tag }: XmlElement, text: string): Complaint {
  return { rule: 'ubl-text', message: `${tag} holds elements only: remove the text '${cut(text)}', or put it into an element.` };
}

export function foreignSentence(): Complaint {
  return {
    rule: 'ubl-extension',
    message: 'ext:ExtensionContent holds exactly one element, of a namespace of its own: repair or remove it.',
  };
}

export function attributeSentence({ tag }: XmlElement, attribute: string, type: Basic | undefined): Complaint {
  const name = attribute.slice(0, NAME_CHARACTERS_MAX);
  const known = [...(type?.attributes.keys() ?? [])];
  const like = nearest(name, known);
  const meant = like ? `did you mean ${like}?` : 'remove it.';
  const message = known.length === 0 ? `${tag} has no attributes: remove ${name}.` : `${tag} has no attribute ${name}: ${meant}`;
  return { rule: 'ubl-attribute', message };
}

const EXAMPLES: Readonly<Record<string, string>> = { currencyID: 'EUR', mimeCode: 'application/pdf', unitCode: 'KGM' };

export function requiredAttributeSentence({ tag }: XmlElement, attribute: string): Complaint {
  const example = `${attribute}="${EXAMPLES[attribute] ?? '…'}"`;
  return { rule: 'ubl-attribute', message: `${tag} must have the attribute ${attribute}: add it, for example ${example}.` };
}

type Typed = Exclude<Content, 'text'>;

const TYPES: Readonly<Record<Typed, string>> = {
  decimal: 'no number: write digits, with a point before the decimals and nothing else, for example 1234.50',
  boolean: 'neither true nor false: write one of them',
  date: 'no date: write year, month and day, for example 2026-03-31',
  time: 'no time: write hours, minutes and seconds, for example 14:30:00',
  base64: 'not complete base64: encode the file again, without a prefix such as data:',
  language: 'no language code: write one such as en or sv-SE',
};

/** `name` is that of an element or attribute. */
export function valueSentence(name: string, content: Typed, value: string): Complaint {
  const text = value.trim();
  if (text === '') return { rule: 'ubl-type', message: `${name} is empty: write its value, or leave it out.` };
  const given = content === 'base64' ? 'the content' : `'${text.slice(0, NAME_CHARACTERS_MAX)}'`;
  return { rule: 'ubl-type', message: `${name}: ${given} is ${TYPES[content]}.` };
}

const NAME_CHARACTERS_MAX = 80;

/** A text of anybody's making, for a sentence: one line of it. */
function cut(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > NAME_CHARACTERS_MAX ? `${line.slice(0, NAME_CHARACTERS_MAX - 1)}…` : line;
}

/** A name of anybody's making, for a sentence. */
function shown({ tag, name }: XmlElement): string {
  return (tag.startsWith('{') ? name : tag).slice(0, NAME_CHARACTERS_MAX);
}
