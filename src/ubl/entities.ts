// The named entities of XML, and a sentence for everything else that stands between an `&` and the semicolon after it.
import { unreadable } from '#domain/unreadable.ts';

const KNOWN: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
  ['apos', "'"],
]);
const NAME = /^[A-Za-z][\w.-]*$/;
/** What the reader writes behind a document that ends early: it closes a reference, if one is open. */
export const REFERENCE_END = ' ;';
const CUT_SHORT = /^\w* $/;

/**
 * For the parser, which takes all up to the next semicolon for the name, however far that is: an `&` that stands for itself, the
 * commonest mistake of those who put XML together by hand, is told where it is.
 */
export function entities(line: () => number): Record<string, string> {
  const replacement = (name: string): string => {
    const value = KNOWN.get(name);
    if (value !== undefined) return value;
    const at = line() - (name.split('\n').length - 1);
    const what = NAME.test(name)
      ? `XML has no &${name.slice(0, 40)}; as HTML has: write the character itself`
      : "an '&' stands for itself: write it as &amp;";
    throw unreadable(CUT_SHORT.test(name) ? 'truncated' : 'not-well-formed', `The file is no well-formed XML: line ${at}, ${what}.`);
  };
  return new Proxy({}, { get: (_, name) => replacement(String(name)) });
}
