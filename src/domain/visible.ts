// What others wrote, where a person reads it: characters that move a cursor, begin a sequence of a terminal, break a line or turn the
// order of letters are shown as \u001b, which JSON takes for the same character.

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** For a text that stands in one line. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, escaped);
}

/** For lines: line feeds and tabs stay. JSON stays the same JSON. */
export function visibleLines(text: string): string {
  return text.replaceAll(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));
}

/** The same for XML, which stays the same XML. */
export function visibleXml(xml: string): string {
  return xml.replaceAll(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
