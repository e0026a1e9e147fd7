// Pieces of text for documents that are written by hand.

/** Ends an attribute and an element that take it as it is, and runs a script there. */
export const MARKUP = `"'><svg/onload=alert(1)>`;

export function split(participant: string): { scheme: string; value: string } {
  const colon = participant.indexOf(':');
  return { scheme: escaped(participant.slice(0, colon)), value: escaped(participant.slice(colon + 1)) };
}

export function money(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
