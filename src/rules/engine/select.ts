// Looking things up in the tree of a document, by short paths: `cac:Price/cbc:PriceAmount`, `*`, `../cbc:ID`, `cbc:ID/@schemeID`.
import { type Decimal, decimalOf } from '#ubl/decimal.ts';
import { interned, type XmlElement } from '#ubl/tree.ts';

interface Path {
  readonly steps: readonly string[];
  readonly attribute: string | undefined;
}

/** Paths are literals in rules: as many as the rules have. */
const PATHS = new Map<string, Path>();

function pathOf(text: string): Path {
  const known = PATHS.get(text);
  if (known) return known;
  const steps = text === '' || text === '.' ? [] : text.split('/').map(interned);
  const attribute = steps.at(-1)?.startsWith('@') ? steps.pop()?.slice(1) : undefined;
  const path = { steps, attribute };
  PATHS.set(text, path);
  return path;
}

/** Every element at the path below the node, in document order; `.` is the node itself. */
export function all(node: XmlElement, path: string): readonly XmlElement[] {
  const { steps } = pathOf(path);
  const found: XmlElement[] = [];
  collect(node, steps, 0, found);
  return found;
}

export function first(node: XmlElement, path: string): XmlElement | undefined {
  return find(node, pathOf(path).steps, 0);
}

/** There is such an element, or such an attribute. */
export function has(node: XmlElement, path: string): boolean {
  const { steps, attribute } = pathOf(path);
  const element = find(node, steps, 0);
  if (attribute === undefined || element === undefined) return element !== undefined;
  return element.attributes.has(attribute) || all(node, path).some(({ attributes }) => attributes.has(attribute));
}

/** What stands at the path, or as far along it as the document goes: a mistake is mostly that something is missing there. */
export function nearestTo(node: XmlElement, path: string): XmlElement {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const found = first(node, at);
    if (found) return found;
  }
  return node;
}

export function count(node: XmlElement, path: string): number {
  return tally(node, pathOf(path).steps, 0);
}

/** The value of the first one, exactly as it stands: of an element all its character data. */
export function text(node: XmlElement, path: string): string | undefined {
  const { steps, attribute } = pathOf(path);
  const element = find(node, steps, 0);
  if (attribute !== undefined) return element?.attributes.get(attribute) ?? texts(node, path)[0];
  return element && stringOf(element);
}

export function texts(node: XmlElement, path: string): readonly string[] {
  const { attribute } = pathOf(path);
  const elements = all(node, path);
  if (attribute === undefined) return elements.map(stringOf);
  return elements.flatMap((element) => element.attributes.get(attribute) ?? []);
}

/** The value of the first one without white space around it, runs of it made one space; '' when there is none (XPath's normalize-space). */
export function trimmed(node: XmlElement, path: string): string {
  return normalized(text(node, path) ?? '');
}

/** White space is what XML calls so: a no-break space is a character like any other. */
export function normalized(value: string): string {
  return mayHaveSpace(value) ? value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '') : value;
}

/** There is more in it than white space. */
export function isFilled(value: string): boolean {
  return /[^ \t\r\n]/.test(value);
}

/** Faster than a regular expression on the short values of which documents are full. */
function mayHaveSpace(value: string): boolean {
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) <= 0x20) return true;
  return false;
}

/** The first one as a number; undefined when there is none, or it is no number. */
export function number(node: XmlElement, path: string): Decimal | undefined {
  return decimalOf(text(node, path));
}

/** Every one that is a number. */
export function numbers(node: XmlElement, path: string): readonly Decimal[] {
  return texts(node, path).flatMap((value) => decimalOf(value) ?? []);
}

/** The string value of XPath: the character data of the element and all below it. */
export function stringOf(element: XmlElement): string {
  return element.children.length === 0 ? element.text : element.text + element.children.map(stringOf).join('');
}

/** Every element with this tag in the document, wherever it stands. */
export function everywhere(root: XmlElement, tag: string): readonly XmlElement[] {
  return byTag(root).get(tag) ?? NONE;
}

export function isBelow(node: XmlElement, tag: string): boolean {
  for (let above = node.parent; above; above = above.parent) if (above.tag === tag) return true;
  return false;
}

/**
 * Something that many rules ask of one document, worked out once for it: `const lines = fact((root) => all(root, 'cac:InvoiceLine'))`.
 * A rule must not search the whole document for every node: that would grow with the square of its lines.
 */
export function fact<T>(work: (root: XmlElement) => T): (root: XmlElement) => T {
  let known: { readonly root: XmlElement; readonly value: T } | null = null;
  FORGETTING.push(() => {
    known = null;
  });
  return (root) => {
    if (known?.root !== root) known = { root, value: work(root) };
    return known.value;
  };
}

const FORGETTING: (() => void)[] = [];

/** A document has been judged: what was worked out for it holds on to its tree no longer. */
export function forgetFacts(): void {
  for (const forget of FORGETTING) forget();
}

function matches(element: XmlElement, step: string): boolean {
  return step === '*' || element.tag === step;
}

function collect(node: XmlElement, steps: readonly string[], at: number, found: XmlElement[]): void {
  const step = steps[at];
  if (step === undefined) found.push(node);
  else if (step === '..') {
    if (node.parent) collect(node.parent, steps, at + 1, found);
  } else for (const child of node.children) if (matches(child, step)) collect(child, steps, at + 1, found);
}

function tally(node: XmlElement, steps: readonly string[], at: number): number {
  const step = steps[at];
  if (step === undefined) return 1;
  if (step === '..') return node.parent ? tally(node.parent, steps, at + 1) : 0;
  let sum = 0;
  for (const child of node.children) if (matches(child, step)) sum += tally(child, steps, at + 1);
  return sum;
}

function find(node: XmlElement, steps: readonly string[], at: number): XmlElement | undefined {
  const step = steps[at];
  if (step === undefined) return node;
  if (step === '..') return node.parent ? find(node.parent, steps, at + 1) : undefined;
  for (const child of node.children) {
    const found = matches(child, step) ? find(child, steps, at + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

const NONE: readonly XmlElement[] = [];

/** Every element of a document by its tag, each list in document order. */
const byTag = fact((root) => {
  const index = new Map<string, XmlElement[]>();
  enter(root, index);
  return index;
});

function enter(node: XmlElement, index: Map<string, XmlElement[]>): void {
  const alike = index.get(node.tag);
  if (alike) alike.push(node);
  else index.set(node.tag, [node]);
  for (const child of node.children) enter(child, index);
}
