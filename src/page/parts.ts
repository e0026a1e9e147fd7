// Parts of pages: tables, which are cards on a narrow screen, facts, sections, buttons to what an operator may do.
import { type Html, html, type Part } from './html.ts';
import { address } from './words.ts';

/** A heading to each cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Part>>;

/** The roles stand there because styles that make cards of rows take them away. `nothing` stands where there are no rows. */
export function table<Row>(caption: string, columns: Columns<Row>, rows: readonly Row[], nothing: string): Html {
  if (rows.length === 0) return html`<p class="nothing">${nothing}</p>`;
  const names = Object.keys(columns);
  return html`<table role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row">${names.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${Object.entries(columns).map(([name, cell]) => cellOf(name, cell(row)))}</tr>
`,
  )}</tbody>
</table>`;
}

/** The first rows, and how many there are in all where there are more. */
export function firstOf<Row>(
  caption: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  nothing: string,
  most: number,
  all = rows.length,
): Part {
  const note = all > most && html`<p class="note">The first ${most} of ${all}.</p>`;
  return html`${table(caption, columns, rows.slice(0, most), nothing)}${note}`;
}

function cellOf(name: string, cell: Part): Html {
  return html`<td role="cell" data-name="${name}">${isNothing(cell) ? html`<span class="none">&ndash;</span>` : cell}</td>`;
}

function isNothing(part: Part): boolean {
  return part === null || part === undefined || part === false || part === '';
}

/** Facts by name; what is nothing is left out. */
export function facts(of: Readonly<Record<string, Part>>): Html {
  const told = Object.entries(of).filter(([, fact]) => !isNothing(fact));
  return html`<dl class="facts">${told.map(([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

export function section(title: string, ...body: readonly Part[]): Html {
  return html`<section><h2>${title}</h2>${body}</section>`;
}

/** A link to where an act is asked for once more. */
export function button(act: string, id: string, label: string): Html {
  return html`<a class="button" href="${address(`/act/${act}`, { id })}">${label}</a>`;
}

export function buttons(shown: readonly Html[]): Part {
  return shown.length > 0 && html`<p class="buttons">${shown}</p>`;
}

/** Where a list goes on; nothing at its end. */
export function more(to: string | null, label: string): Part {
  return to !== null && html`<p class="more"><a class="button" rel="next" href="${to}">${label}</a></p>`;
}

export function choice(label: string, name: string, chosen: string, options: Readonly<Record<string, string>>): Html {
  return html`<label>${label}<select name="${name}">${Object.entries(options).map(
    ([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
  )}</select></label>`;
}

export function field(label: string, name: string, value: string, attributes: Part = null): Html {
  return html`<label>${label}<input name="${name}" value="${value}" ${attributes}></label>`;
}
