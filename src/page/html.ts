// Markup that escapes by default: what stands between `${` and `}` is text, unless it was made by `html` itself. Attributes stand in double quotes.
import { visibleLines } from '#domain/visible.ts';

export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** Markup, which only `html` makes. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(literals: TemplateStringsArray, parts: readonly Part[]): Html {
    return new Html(literals.map((literal, at) => literal + markup(parts[at])).join(''));
  }

  toString(): string {
    return this.#text;
  }
}

/** Nothing stands for null, undefined and false; the parts of a list stand one after the other. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return Html.of(literals, parts);
}

function markup(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(markup).join('');
  return visibleLines(String(part)).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
