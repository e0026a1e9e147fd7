// Lists of names, page by page: those that have a text in them, in the order of their names.
import type { NamePage } from '#domain/name-page.ts';
import { type Html, html, type Part } from './html.ts';
import { type Columns, field, more, table } from './parts.ts';
import type { View, Visit } from './visit.ts';
import { address } from './words.ts';

const PAGE_ROWS = 100;

interface Listing<Row> {
  readonly title: string;
  readonly path: string;
  readonly columns: Columns<Row>;
  readonly nameOf: (row: Row) => string;
  readonly rowsOf: (page: NamePage) => Promise<readonly Row[]>;
  readonly nothing: string;
}

export async function listing<Row>({ query }: Visit, how: Listing<Row>, above: Part = null): Promise<View> {
  const { title, path, columns, nameOf, rowsOf, nothing } = how;
  const page = { text: query.get('text') ?? '', after: query.get('after') ?? '', limit: PAGE_ROWS + 1 };
  const rows = await rowsOf(page);
  const shown = rows.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const { text } = page;
  const next = rows.length > PAGE_ROWS && last !== undefined ? address(path, { text, after: nameOf(last) }) : null;
  const search: Html = html`<form class="search" role="search" action="${path}">
${field('Name or number', 'text', text, html`type="search"`)}<button type="submit">Filter</button></form>`;
  const body = html`<h1>${title}</h1>${above}${search}${table(title, columns, shown, nothing)}${more(next, 'Next')}`;
  return { title, body };
}
