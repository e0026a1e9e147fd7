// Changes to single values of a document in XML that has been read: all other bytes stay as they are, in their encoding and with their white space.
import { decodeText, layoutOf } from './decode.ts';

export interface Edit {
  /** The element, by its place among all elements of the document in the order in which they begin, from 0. */
  readonly element: number;
  /** The attribute whose value it is, which is added where it is missing; undefined for the text of the element. */
  readonly attribute?: string | undefined;
  /** ASCII without markup. */
  readonly value: string;
}

/** A piece of the text, and what comes in its place. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** In a document that is well-formed and has no DOCTYPE: comments, CDATA sections, instructions and tags; of a tag that begins, name and attributes. */
const MARKUP = /<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>|\/[^>]*>|([^\s/>!?]+)((?:[^>"']|"[^"]*"|'[^']*')*)>)/gs;
const ATTRIBUTE = /([^\s=/]+)\s*=\s*(["'])(.*?)\2/gs;

/** The document with these values, one for each place; null where an old value does not stand by itself: with a reference or a section in it. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array | null {
  const text = decodeText(bytes);
  const wanted = Map.groupBy(edits, ({ element }) => element);
  const replacements: Replacement[] = [];
  let element = -1;
  for (const markup of text.matchAll(MARKUP)) {
    if (markup[1] === undefined) continue;
    element++;
    for (const edit of wanted.get(element) ?? []) {
      const replacement = edit.attribute === undefined ? ofText(text, markup, edit) : ofAttribute(markup, edit.attribute, edit);
      if (!replacement) return null;
      replacements.push(replacement);
    }
  }
  return replacements.length === edits.length ? replaced(bytes, text, replacements) : null;
}

function ofText(text: string, { 0: tag, index }: RegExpExecArray, { value }: Edit): Replacement | null {
  const from = index + tag.length;
  const to = text.indexOf('<', from);
  const isAlone = !tag.endsWith('/>') && text.startsWith('</', to) && !text.slice(from, to).includes('&');
  return isAlone ? { from, to, text: value } : null;
}

function ofAttribute({ 1: name = '', 2: attributes = '', index }: RegExpExecArray, attribute: string, { value }: Edit): Replacement | null {
  const begins = index + 1 + name.length;
  for (const found of attributes.matchAll(ATTRIBUTE)) {
    const [whole, other, , old = ''] = found;
    if (other !== attribute) continue;
    const to = begins + found.index + whole.length - 1;
    return old.includes('&') ? null : { from: to - old.length, to, text: value };
  }
  return { from: begins, to: begins, text: ` ${attribute}="${value}"` };
}

function replaced(bytes: Uint8Array, text: string, replacements: readonly Replacement[]): Uint8Array {
  const { mark, bytesIn, encode } = layoutOf(bytes);
  const pieces: Uint8Array[] = [];
  let [character, byte, kept] = [0, mark, 0];
  for (const { from, to, text: value } of replacements.toSorted((a, b) => a.from - b.from)) {
    byte += bytesIn(text.slice(character, from));
    pieces.push(bytes.subarray(kept, byte), encode(value));
    byte += bytesIn(text.slice(from, to));
    [character, kept] = [to, byte];
  }
  return Buffer.concat([...pieces, bytes.subarray(kept)]);
}
