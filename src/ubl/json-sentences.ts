// What can be wrong with UBL JSON before it is a document: the sentences.
import { nearest } from '#domain/nearest.ts';
import type { Basic } from '#ubl/model/data-types.ts';
import type { Aggregate } from '#ubl/model/model.ts';
import type { Complaint } from './structure-rule.ts';

const shape = (message: string): Complaint => ({ rule: 'json-shape', message });

export const ONE_ROOT = shape('The document must have exactly one root element, { "Invoice": { … } }.');
export const NO_LIST = shape('A list of documents is not accepted: send each document in a file or request of its own.');
export const NO_OBJECT = shape('The document must be an object whose key is the root element, { "Invoice": { … } }.');
export const NO_VALUE = shape('null and lists in lists are not allowed: leave the element out, or write its value.');
export const NO_SCALAR = shape('The value must be a string, a number, true or false.');

export function noCharacter(character: string): Complaint {
  return { rule: 'ubl-type', message: `The value holds the character ${character}, which XML does not have: remove it.` };
}

export function tooLong(max: number): Complaint {
  return shape(`The value has more than ${max} characters in XML, which only an attachment may have: shorten it.`);
}

export function noElements(name: string): Complaint {
  return shape(`${name} holds elements: write an object, { "${name}": { … } }.`);
}

export function noText(name: string): Complaint {
  return shape(`${name} has no value: write it under the key _, { "${name}": { "_": … } }.`);
}

export function tooMany(name: string, parent: string): Complaint {
  return { rule: 'ubl-cardinality', message: `${parent} holds one ${name} at most: leave the list with one entry.` };
}

export function wrongNamespace(key: string, namespace: string): Complaint {
  return { rule: 'ubl-namespace', message: `${key} must be '${namespace}', or be left out.` };
}

export function unreadableExtension(cause: string): Complaint {
  return {
    rule: 'ubl-extension',
    message: `The content of an extension is its XML in a string, { "_": "<x:…>" }, and this one cannot be read. ${cause}`,
  };
}

export function extensionObject(): Complaint {
  return {
    rule: 'ubl-extension',
    message: 'The content of an extension has no form in JSON: write its XML as a string, { "_": "<x:…>" }.',
  };
}

/** A key in an aggregate that is none of its elements. */
export function unknownElement(key: string, { name, byName }: Aggregate): Complaint {
  const given = shown(key);
  if (key === '_') return { rule: 'ubl-element', message: `${name} holds elements and no value: write the elements by their names.` };
  const plain = key.replace(/^[\w.-]*[:@$]/, '');
  if (byName.has(plain)) return { rule: 'ubl-element', message: `'${given}' must be written without a prefix: ${plain}.` };
  if (/^[a-z@$#]/.test(key)) {
    const message = `'${given}' is no element of ${name}. If it is an attribute, write it beside its element's value, { "_": …, "${shown(plain)}": … }.`;
    return { rule: 'ubl-attribute', message };
  }
  return { rule: 'ubl-element', message: `'${given}' is no element of ${name}: ${meant(plain, [...byName.keys()])}` };
}

/** A key beside a value that is none of its attributes. */
export function unknownAttribute(key: string, name: string, { attributes }: Basic): Complaint {
  if (attributes.size === 0) return { rule: 'ubl-attribute', message: `${name} has no attributes: remove '${shown(key)}'.` };
  return { rule: 'ubl-attribute', message: `'${shown(key)}' is no attribute of ${name}: ${meant(key, [...attributes.keys()])}` };
}

function meant(given: string, known: readonly string[]): string {
  const like = nearest(given.slice(0, NAME_CHARACTERS_MAX), known);
  return like === undefined ? 'remove it.' : `did you mean ${like}?`;
}

const NAME_CHARACTERS_MAX = 80;

function shown(key: string): string {
  return key.slice(0, NAME_CHARACTERS_MAX);
}
