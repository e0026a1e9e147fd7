// A page of names: the first so many behind another one, in the order of their letters.

export interface NamePage {
  /** The last name of the page before; '' at the begin. */
  readonly after: string;
  readonly limit: number;
  /** What must be a part of what is known of them; '' for all. */
  readonly text: string;
}

/** Of names that are all there. */
export function pageOf(names: readonly string[], { after, limit, text }: NamePage): string[] {
  return names.filter((name) => name > after && name.toLowerCase().includes(text.toLowerCase())).slice(0, limit);
}

/** The page that shows the names of several, each of which is the page of its own names. */
export function mergePages(pages: readonly (readonly string[])[], { limit }: NamePage): string[] {
  return [...new Set(pages.flat())].sort().slice(0, limit);
}
