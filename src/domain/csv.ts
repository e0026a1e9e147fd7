// Tables as text (RFC 4180, UTF-8), safe to be opened by a table program.

/** The names of the columns, then the rows. */
export function csvTable(names: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [names, ...rows].map(csvRow).join('');
}

/** One row of a table that is written piece by piece. */
export function csvRow(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** A table program takes a cell that begins so for a formula, also behind white space: with an apostrophe it is text. */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;

function cellOf(value: unknown): string {
  const text = plain(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A value on one line, nothing where nothing is. */
export function plain(value: unknown): string {
  return value === null || value === undefined ? '' : String(value).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
