// Lists of names, page by page: those that have a text in them, in the order of their names.
import { type Html, html, type Part } from './html.ts';
import { type Columns, field, more, table } from './parts.ts';
import type { View, Visit } from './visit.ts';
import { address } from './words.ts';

const PAGE_ROWS = 100;

export interface Listing<Row> {
  readonly title: string;
  readonly path: string;
  readonly columns: Columns<Row>;
  readonly nameOf: (row: Row) => string;
  /** What is looked for a text in. */
  readonly textOf: (row: Row) => string;
  readonly nothing: string;
}

export function listing<Row>({ query }: Visit, rows: readonly Row[], how: Listing<Row>, above: Part = null): View {
  const { title, path, columns, nameOf, textOf, nothing } = how;
  const [text, after] = ['text', 'after'].map((name) => query.get(name) ?? '');
  const wanted = (text ?? '').toLowerCase();
  const rest = rows
    .filter((row) => nameOf(row) > (after ?? '') && textOf(row).toLowerCase().includes(wanted))
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const shown = rest.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const next = rest.length > PAGE_ROWS && last !== undefined ? address(path, { text, after: nameOf(last) }) : null;
  const search: Html = html`<form class="search" role="search" action="${path}">
${field('Name or number', 'text', text ?? '', html`type="search"`)}<button type="submit">Filter</button></form>`;
  const body = html`<h1>${title}</h1>${above}${search}${table(title, columns, shown, nothing)}${more(next, 'Next')}`;
  return { title, body };
}
