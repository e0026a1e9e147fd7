// A page of names: the first so many behind another one, in the order of their letters.

export interface NamePage {
  /** The last name of the page before; '' at the begin. */
  readonly after: string;
  readonly limit: number;
  /** What must be a part of what is known of them; '' for all. */
  readonly text: string;
}

/** Of rows that are all there; the text is looked for in what stands with each. */
export function pageOf<Row>(
  rows: readonly Row[],
  { after, limit, text }: NamePage,
  nameOf: (row: Row) => string,
  textsOf: (row: Row) => readonly string[] = (row) => [nameOf(row)],
): Row[] {
  const wanted = text.toLowerCase();
  return rows
    .filter((row) => nameOf(row) > after && textsOf(row).join('\n').toLowerCase().includes(wanted))
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    .slice(0, limit);
}

/** The page that shows the names of several, each of which is the page of its own names. */
export function mergePages(pages: readonly (readonly string[])[], { limit }: NamePage): string[] {
  return [...new Set(pages.flat())].sort().slice(0, limit);
}
