// The piece of a text at a line and column, short enough to be shown: some programs write a document as one line.
import type { Finding } from '#domain/document.ts';

export interface Excerpt {
  readonly text: string;
  /** How many characters of it stand before the place. */
  readonly before: number;
}

const CHARACTERS_MAX = 100;
const BEFORE_MAX = 30;

/** One for each finding, null for one without a place. */
export function excerptsOf(text: string, findings: readonly Finding[]): (Excerpt | null)[] {
  const starts = startsOf(text, Math.max(0, ...findings.map(({ line = 0 }) => line)));
  return findings.map(({ line = 0, column = 0 }) => {
    const start = starts[line];
    if (start === undefined || column === 0) return null;
    const next = text.indexOf('\n', start);
    return excerptOf(text, start, next < 0 ? text.length : next, column - 1);
  });
}

/** Where each line begins, by its number, from 1. */
function startsOf(text: string, lines: number): (number | undefined)[] {
  const starts: (number | undefined)[] = [undefined];
  for (let start = 0; starts.length <= lines; start = text.indexOf('\n', start) + 1) {
    if (start === 0 && starts.length > 1) break;
    starts.push(start);
  }
  return starts;
}

function excerptOf(text: string, start: number, end: number, at: number): Excerpt {
  const from = at > CHARACTERS_MAX - BEFORE_MAX ? start + at - BEFORE_MAX : start;
  const to = Math.min(end, from + CHARACTERS_MAX);
  const lead = from > start ? '…' : '';
  const shown = text.slice(from, to).replaceAll('\t', ' ').trimEnd();
  return { text: `${lead}${shown}${to < end ? '…' : ''}`, before: lead.length + start + at - from };
}
