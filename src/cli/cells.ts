// How values stand in tables and lists of facts: plain for programs, and as people at a terminal read them.
import { visible } from '#domain/visible.ts';

/** A moment is ISO 8601; a state is one of the words that may be coloured; several stand one after the other. */
export type Cell = Word | readonly Word[];
type Word = string | number | null | { readonly at: string | null } | { readonly state: string };

/** How a terminal shows: whether it may be coloured, and what time it is. */
export interface Style {
  readonly isColoured: boolean;
  readonly nowMs: number;
}

const [RED, GREEN, YELLOW] = ['31', '32', '33'];
const BOLD = '1';
const STATES: Readonly<Record<string, string>> = {
  accepted: GREEN,
  active: GREEN,
  delivered: GREEN,
  well: GREEN,
  ok: GREEN,
  pending: YELLOW,
  waiting: YELLOW,
  warning: YELLOW,
  cancelled: YELLOW,
  held: RED,
  problem: RED,
  refused: RED,
  rejected: RED,
  failed: RED,
  disabled: RED,
  dead: RED,
};

/** For programs. */
export function plainCell(cell: Cell): string {
  return wordsOf(cell).map(plainWord).join(' ');
}

/** For people. */
export function shownCell(cell: Cell, style: Style): string {
  return wordsOf(cell)
    .map((word) => shownWord(word, style))
    .join(' ');
}

function wordsOf(cell: Cell): readonly Word[] {
  return isSeveral(cell) ? cell : [cell];
}

function isSeveral(cell: Cell): cell is readonly Word[] {
  return Array.isArray(cell);
}

function plainWord(word: Word): string {
  if (word === null) return '';
  if (typeof word !== 'object') return String(word);
  return 'at' in word ? (word.at ?? '') : word.state;
}

function shownWord(word: Word, style: Style): string {
  if (word === null || typeof word !== 'object') return visible(plainWord(word));
  if ('at' in word) return word.at === null ? '' : `${localTime(word.at)} (${age(word.at, style.nowMs)})`;
  // `accepted, delivered` has the colour of what came last.
  return coloured(STATES[word.state.split(/[ ,]+/).at(-1) ?? ''], visible(word.state), style);
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

/** `2026-11-24 14:03:11 +01:00` in the time zone of this process. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const offset = -at.getTimezoneOffset();
  const local = new Date(at.getTime() + offset * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, '0'));
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `5 min ago`, `in 3 h`, `now`. */
export function age(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['s', 1_000];
  const count = Math.floor(Math.abs(ms) / size);
  if (count === 0) return 'now';
  return ms > 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
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
