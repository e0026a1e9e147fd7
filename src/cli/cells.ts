// How values stand in tables and lists of facts: plain for programs, and as people at a terminal read them.
import { toneOf } from '#domain/tone.ts';
import { visible } from '#domain/visible.ts';
import { age, localTime } from '#runtime/local-time.ts';

/** A moment is ISO 8601; a state is one of the words that may be coloured; several stand one after the other. */
type Text = Word | readonly Word[];
/** Lines for programs have no heads, so a cell may tell them what it is; people read that above it. */
export type Cell = Text | { readonly people: Text; readonly programs: Text };
type Word = string | number | null | { readonly at: string | null } | { readonly state: string };

/** How a terminal shows: whether it may be coloured, and what time it is. */
export interface Style {
  readonly isColoured: boolean;
  readonly nowMs: number;
}

const BOLD = '1';
const COLOURS = { bad: '31', good: '32', open: '33' } as const;

/** For programs: what others wrote ends neither a cell nor a line. */
export function plainCell(cell: Cell): string {
  return visible(wordsOf(cell, 'programs').map(plainWord).join(' '));
}

/** For people. */
export function shownCell(cell: Cell, style: Style): string {
  return wordsOf(cell, 'people')
    .map((word) => shownWord(word, style))
    .join(' ');
}

function wordsOf(cell: Cell, reader: 'people' | 'programs'): readonly Word[] {
  const text = typeof cell === 'object' && cell !== null && 'people' in cell ? cell[reader] : cell;
  return isSeveral(text) ? text : [text];
}

function isSeveral(text: Text): text is readonly Word[] {
  return Array.isArray(text);
}

function plainWord(word: Word): string {
  if (word === null) return '';
  if (typeof word !== 'object') return String(word);
  return 'at' in word ? (word.at ?? '') : word.state;
}

function shownWord(word: Word, style: Style): string {
  if (word === null || typeof word !== 'object') return visible(plainWord(word));
  if ('at' in word) return word.at === null ? '' : `${localTime(word.at)} (${age(word.at, style.nowMs)})`;
  const tone = toneOf(word.state);
  return coloured(tone && COLOURS[tone], visible(word.state), style);
}

/** Rows below their heads, each column as wide as its widest cell. */
export function tableLines(heads: readonly string[], rows: readonly (readonly Cell[])[], style: Style): string[] {
  const shown = rows.map((row) => row.map((cell) => shownCell(cell, style)));
  const widths = heads.map((head, column) => Math.max(head.length, ...shown.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd();
  return [coloured(BOLD, line(heads.map((head) => head.toUpperCase())), style), ...shown.map(line)];
}

function coloured(code: string | undefined, text: string, { isColoured }: Style): string {
  return isColoured && code !== undefined ? `\x1b[${code}m${text}\x1b[0m` : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a colour
const COLOUR = /\x1b\[\d+m/g;

/** Columns of a terminal: wide letters are not looked for. */
function widthOf(text: string): number {
  return [...text.replaceAll(COLOUR, '')].length;
}
