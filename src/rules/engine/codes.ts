// Code lists: sets of values, and the nearest ones to a value that is not among them.
import { editsBetween } from '#domain/nearest.ts';

export interface CodeList {
  /** For sentences: 'currency code (ISO 4217)'. */
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** By a value that is none, in capitals: what is meant by it. */
  readonly meant?: Readonly<Record<string, string>>;
}

/** `values` are separated by white space. */
export function codeList(name: string, values: string, meant: Readonly<Record<string, string>> = {}): CodeList {
  return { name, values: new Set(values.trim().split(/\s+/)), meant };
}

/** One list with the values of several. */
export function union(name: string, ...lists: readonly CodeList[]): CodeList {
  return { name, values: new Set(lists.flatMap(({ values }) => [...values])) };
}

/** The same list without some values, and with more; both separated by white space. */
export function edition({ name, values, meant }: CodeList, { without = '', more = '' }: { without?: string; more?: string }): CodeList {
  const left = new Set(without.split(/\s+/));
  return codeList(name, [...[...values].filter((value) => !left.has(value)), more].join(' '), meant);
}

const NEAREST_MAX = 3;
const ALL_SHOWN_MAX = 12;
const COMPARED_CHARACTERS_MAX = 40;

/** For a sentence: what is meant, all values of a short list, or those most like the given one; '' when none is like it. */
export function suggestion({ values, meant = {} }: CodeList, given: string): string {
  const key = given.trim().slice(0, COMPARED_CHARACTERS_MAX).toUpperCase();
  if (Object.hasOwn(meant, key)) return ` Did you mean ${meant[key]}?`;
  if (values.size <= ALL_SHOWN_MAX) return ` Allowed: ${[...values].join(', ')}.`;
  const found = nearest(values, given);
  return found.length > 0 ? ` Nearest: ${found.join(', ')}.` : '';
}

/** The values that are the fewest edits away, at most two and a third of the letters; case does not count when it is all. */
export function nearest(values: Iterable<string>, given: string): string[] {
  const wanted = given.trim().slice(0, COMPARED_CHARACTERS_MAX);
  if (wanted === '') return [];
  const allowed = Math.min(2, Math.floor(wanted.length / 3));
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
