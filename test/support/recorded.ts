// Results that are written into a document, in place of what stood there: between a pair of comments with their name.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What stands there now, and how it is replaced. The page is named from the root of the repository. Throws when it has no place of this name. */
export function recordedIn(page: string, name: string): { readonly text: string; replace(text: string): void } {
  const path = join(ROOT, page);
  const whole = readFileSync(path, 'utf8');
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for ${name}: it needs the lines ${begin} and ${end}.`);
  return {
    text: whole.slice(from + begin.length, to),
    replace: (text) => writeFileSync(path, `${whole.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${whole.slice(to)}`),
  };
}
