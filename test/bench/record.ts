// Puts what a bench printed into the documentation, in place of what stood there: `npm run bench -- core --record`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../docs/performance.md');

/** Throws when the page has no place for the bench: a pair of comments with its name. */
export function record(name: string, lines: readonly string[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}: it needs the lines ${begin} and ${end}.`);
  const text = lines.join('\n').replace(/^ {2}/gm, '').trim();
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n\n\`\`\`\n${text}\n\`\`\`\n\n${page.slice(to)}`);
}
