// The light tree of a document: elements with local name and namespace, whatever prefixes they were written with.

export const CBC = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2';
export const CAC = 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2';
export const EXT = 'urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2';

export interface OpenElement {
  /** Local name. */
  readonly name: string;
  /** '' when it has none. */
  readonly namespace: string;
  /** By local name; a qualified one by `{namespace}name`. Namespace declarations are not among them. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Where its tag begins, from 1; 0 when it was not read from XML. */
  readonly line: number;
  readonly column: number;
  /** Told from JSON: its index in the list that it stands in, null when it stands in none. Undefined when it was read from XML. */
  readonly listed?: number | null | undefined;
}

export interface XmlElement extends OpenElement {
  /** The one name by which rules and models know it: see `tagOf`. */
  readonly tag: string;
  readonly parent: XmlElement | null;
  readonly children: readonly XmlElement[];
  /** All character data directly inside it, joined; white space between children is not kept. */
  readonly text: string;
  /** All that is inside it in order, when text stands behind a child: only what is not of UBL has that. */
  readonly mixed: readonly (string | XmlElement)[] | undefined;
  /** The line on which the first text behind a child ends; undefined when there is none, or it was not read from XML. */
  readonly textLine: number | undefined;
  /** True when a comment divides its text, which XPath then reads in two pieces. */
  readonly split: boolean | undefined;
}

/** What happens while a document is read, in document order. */
export interface ReadHandlers {
  open(element: OpenElement): void;
  /** A piece of character data, and the line on which it ends, in XML; one run of it may come in several pieces. */
  text(text: string, line?: number): void;
  comment?(): void;
  close(): void;
}

const COMMON: ReadonlyMap<string, Map<string, string>> = new Map([CBC, CAC, EXT].map((namespace) => [namespace, new Map()]));
const PREFIXES: Readonly<Record<string, string>> = { [CBC]: 'cbc', [CAC]: 'cac', [EXT]: 'ext' };
/** UBL has fewer names than this; whoever invents more gets strings that are not kept. */
const TAGS_KEPT_MAX = 4000;

/** `cbc:ID`, `cac:Party`, `ext:UBLExtension`; a document element by its bare name, `Invoice`; anything else `{namespace}name`. */
export function tagOf(namespace: string, name: string): string {
  const known = COMMON.get(namespace);
  if (!known) return namespace === documentNamespace(name) ? name : `{${namespace}}${name}`;
  const kept = known.get(name);
  if (kept !== undefined) return kept;
  const tag = interned(`${PREFIXES[namespace]}:${name}`);
  if (known.size < TAGS_KEPT_MAX) known.set(name, tag);
  return tag;
}

/** The same text as V8 has it once: two of these are compared by their addresses. What is put together piece by piece is not, and slow. */
export function interned(text: string): string {
  const [name = text] = Object.keys({ [text]: null });
  return name;
}

export function documentNamespace(name: string): string {
  return `urn:oasis:names:specification:ubl:schema:xsd:${name}-2`;
}

/** Most elements are leaves; they share this one, which nobody writes to. */
const NO_CHILDREN: Node[] = [];

class Node implements XmlElement {
  readonly tag: string;
  readonly name: string;
  readonly namespace: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly line: number;
  readonly column: number;
  readonly listed: number | null | undefined;
  readonly parent: Node | null;
  children = NO_CHILDREN;
  text = '';
  mixed: (string | Node)[] | undefined = undefined;
  textLine: number | undefined = undefined;
  /** False when a comment stands behind its text so far. */
  split: boolean | undefined = undefined;

  constructor({ name, namespace, attributes, line, column, listed }: OpenElement, parent: Node | null) {
    this.tag = tagOf(namespace, name);
    this.name = name;
    this.namespace = namespace;
    this.attributes = attributes;
    this.line = line;
    this.column = column;
    this.listed = listed;
    this.parent = parent;
    if (parent === null) return;
    if (parent.children === NO_CHILDREN) {
      parent.children = [this];
      if (parent.text !== '' && isBlank(parent.text)) parent.text = '';
    } else parent.children.push(this);
    parent.mixed?.push(this);
  }

  add(text: string, line?: number): void {
    if (this.split === false) this.split = true;
    if (this.children !== NO_CHILDREN) {
      if (this.text === '' && isBlank(text)) return;
      this.textLine ??= line;
      this.mixed ??= [this.text, ...this.children];
      this.mixed.push(text);
    }
    this.text += text;
  }

  comment(): void {
    if (this.text !== '') this.split ??= false;
  }
}

/** XML's white space only. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}

/** Collects events into a tree; `root()` is there when the root element has been closed. */
export function createTreeBuilder(): ReadHandlers & { root(): XmlElement | null } {
  let open: Node | null = null;
  let root: Node | null = null;
  return {
    open(element) {
      open = new Node(element, open);
    },
    text(text, line) {
      open?.add(text, line);
    },
    comment() {
      open?.comment();
    },
    close() {
      if (open && !open.parent) root = open;
      open = open?.parent ?? null;
    },
    root: () => root,
  };
}

/** Tells the events of a tree, as if it were being read. */
export function replay(element: XmlElement, handlers: ReadHandlers): void {
  handlers.open(element);
  if (element.text !== '' && !element.mixed) handlers.text(element.text);
  for (const piece of element.mixed ?? element.children) {
    if (typeof piece === 'string') handlers.text(piece);
    else replay(piece, handlers);
  }
  handlers.close();
}
