// Code lists: sets of values, and the nearest ones to a value that is not among them.
import { editsBetween } from '#domain/nearest.ts';

export interface CodeList {
  /** For sentences: 'currency code (ISO 4217)'. */
  readonly name: string;
  readonly values: ReadonlySet<string>;
}

/** `values` are separated by white space. */
export function codeList(name: string, values: string): CodeList {
  return { name, values: new Set(values.trim().split(/\s+/)) };
}

/** One list with the values of several. */
export function union(name: string, ...lists: readonly CodeList[]): CodeList {
  return { name, values: new Set(lists.flatMap(({ values }) => [...values])) };
}

/** The same list without some values, and with more; both separated by white space. */
export function edition({ name, values }: CodeList, { without = '', more = '' }: { without?: string; more?: string }): CodeList {
  const left = new Set(without.split(/\s+/));
  return codeList(name, [...[...values].filter((value) => !left.has(value)), more].join(' '));
}

const NEAREST_MAX = 3;
const ALL_SHOWN_MAX = 12;
const COMPARED_CHARACTERS_MAX = 40;

/** For a sentence: all values of a short list, otherwise those most like the given one; '' when none is like it. */
export function suggestion({ values }: CodeList, given: string): string {
  if (values.size <= ALL_SHOWN_MAX) return ` Allowed: ${[...values].join(', ')}.`;
  const found = nearest(values, given);
  return found.length > 0 ? ` Nearest: ${found.join(', ')}.` : '';
}

/** The values that are the fewest edits away, at most two; case does not count when it is all. */
export function nearest(values: Iterable<string>, given: string): string[] {
  const wanted = given.trim().slice(0, COMPARED_CHARACTERS_MAX);
  if (wanted === '') return [];
  const allowed = Math.min(2, Math.floor(wanted.length / 2));
  const found: { value: string; distance: number }[] = [];
  for (const value of values) {
    if (Math.abs(value.length - wanted.length) > allowed) continue;
    const distance = value.toLowerCase() === wanted.toLowerCase() ? 0 : editsBetween(value, wanted);
    if (distance <= allowed) found.push({ value, distance });
  }
  const least = Math.min(...found.map(({ distance }) => distance));
  const best = found.filter(({ distance }) => distance === least).map(({ value }) => value);
  return best.sort().slice(0, NEAREST_MAX);
}
