// What changes by the page share: reading what was said in their fields, and showing what is shown once.
import { AppError } from '#domain/error.ts';
import type { Done, Given } from './act.ts';
import { html } from './html.ts';
import { facts } from './parts.ts';
import { link } from './words.ts';

export function linesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Null where nothing was said. Throws `bad-request`. */
export function countIn(given: Given, name: string): number | null {
  const text = given(name);
  if (text === '') return null;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new AppError('bad-request', `${text} is no number from 1.`);
}

/** What a field shows of a count that may not be set. */
export function textOf(count: number | null | undefined): string {
  return count == null ? '' : String(count);
}

/** One of these words; null where nothing was chosen. Throws `bad-request`. */
export function chosen<Word extends string>(given: Given, name: string, words: readonly Word[]): Word | null {
  const text = given(name);
  if (text === '') return null;
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw new AppError('bad-request', `${text} is none of ${words.join(', ')}.`);
}

/** The field under its own name, where something was said in it. */
export function said<Name extends string>(given: Given, name: Name): { readonly [Each in Name]?: string } {
  const text = given(name);
  const made: { [Each in Name]?: string } = {};
  if (text !== '') made[name] = text;
  return made;
}

/** Goes on there; with secrets by a page that shows them, which no cache keeps and nothing shows again. */
export function shownOnce(title: string, to: string, secrets: Readonly<Record<string, string | null | undefined>>): Done {
  if (Object.values(secrets).every((secret) => secret == null)) return { to };
  const shown = Object.entries(secrets).map(([name, secret]) => [name, secret && html`<code>${secret}</code>`]);
  const body = html`<h1>${title}</h1><p class="question">It is shown this once: write it down where it is used.</p>
${facts(Object.fromEntries(shown))}<p>${link(to, 'Go on')}</p>`;
  return { once: { title, body } };
}
