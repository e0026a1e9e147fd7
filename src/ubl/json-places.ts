// Line and column of values in a JSON text, by their JSON pointers: looked up only when there is something to tell about them.
import type { Finding } from '#domain/document.ts';
import { isEscaped } from './json-text.ts';

/** The findings with the place in the text that their pointers lead to, or as far as they lead. The text has been read: it is JSON. */
export function located(findings: readonly Finding[], bytes: Uint8Array): readonly Finding[] {
  if (!findings.some(({ pointer, line }) => pointer !== undefined && line === undefined)) return findings;
  const text = new TextDecoder().decode(bytes);
  const root: Wanted = { at: undefined, below: new Map() };
  const wanted = findings.map(({ pointer }) => (pointer === undefined ? undefined : want(root, pointer)));
  new Scan(text, countOf(root)).value(root);
  const places = placesAt(text, new Set(wanted.map((steps) => offsetOf(steps))));
  return findings.map((finding, index) => ({ ...finding, ...places.get(offsetOf(wanted[index])) }));
}

/** A value that is looked for, and where it was found. */
interface Wanted {
  at: number | undefined;
  readonly below: Map<string, Wanted>;
}

/** The steps of a pointer, from the document to the value. */
function want(root: Wanted, pointer: string): readonly Wanted[] {
  const steps = [root];
  let step = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const known: Wanted = step.below.get(key) ?? { at: undefined, below: new Map() };
    step.below.set(key, known);
    step = known;
    steps.push(step);
  }
  return steps;
}

function countOf({ below }: Wanted): number {
  return [...below.values()].reduce((count, wanted) => count + countOf(wanted), 1);
}

function offsetOf(steps: readonly Wanted[] | undefined): number | undefined {
  return steps?.findLast(({ at }) => at !== undefined)?.at;
}

type Place = Required<Pick<Finding, 'line' | 'column'>>;

function placesAt(text: string, offsets: ReadonlySet<number | undefined>): ReadonlyMap<number | undefined, Place> {
  const places = new Map<number | undefined, Place>();
  let line = 1;
  let start = 0;
  for (const offset of [...offsets].filter((at) => at !== undefined).sort((a, b) => a - b)) {
    for (let next = text.indexOf('\n', start); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
      line++;
      start = next + 1;
    }
    places.set(offset, { line, column: offset - start + 1 });
  }
  return places;
}

/** Goes through a text once, into nothing that is not asked for, and no further than the last that is. */
class Scan {
  #at = 0;
  #left: number;
  readonly #text: string;

  constructor(text: string, count: number) {
    this.#text = text;
    this.#left = count;
  }

  /** The value that comes next. */
  value(wanted: Wanted | undefined): void {
    this.#space();
    const first = this.#text[this.#at];
    if (wanted) wanted.at = this.#at;
    if (wanted && --this.#left === 0) this.#at = this.#text.length;
    else if (first === '"') this.#string();
    else if (first === '{' || first === '[') this.#container(first === '{', wanted);
    else this.#at = this.#next(BEHIND_WORD);
  }

  #container(object: boolean, wanted: Wanted | undefined): void {
    const below = wanted?.below.size ? wanted.below : undefined;
    this.#at++;
    for (let index = 0; ; index++) {
      this.#space();
      const next = this.#text[this.#at];
      if (next === undefined || next === '}' || next === ']') break;
      let key = String(index);
      if (object) {
        const from = this.#at;
        this.#string();
        key = below ? String(JSON.parse(this.#text.slice(from, this.#at))) : '';
        this.#space();
        this.#at++; // the colon
      }
      this.value(below?.get(key));
      this.#space();
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
  }

  /** Past its closing quote, before which stands no backslash, or an even number of them. */
  #string(): void {
    let quote = this.#at;
    do quote = this.#text.indexOf('"', quote + 1);
    while (quote >= 0 && isEscaped(this.#text, quote));
    this.#at = quote < 0 ? this.#text.length : quote + 1;
  }

  #space(): void {
    this.#at = this.#next(NO_SPACE);
  }

  #next(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.index ?? this.#text.length;
  }
}

const BEHIND_WORD = /[,\]} \n\r\t]/g;
const NO_SPACE = /[^ \n\r\t]/g;
