// The light tree of a document: elements with local name and namespace, no prefixes, no parents.

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
}

export interface XmlElement extends OpenElement {
  readonly children: readonly XmlElement[];
  /** All character data directly inside it, joined. */
  readonly text: string;
}

/** What happens while a document is read, in document order. */
export interface ReadHandlers {
  open(element: OpenElement): void;
  /** A piece of character data; one run of it may come in several pieces. */
  text(text: string): void;
  close(): void;
}

/** Collects events into a tree; `root()` is there when the root element has been closed. */
export function createTreeBuilder(): ReadHandlers & { root(): XmlElement | null } {
  const open: { element: OpenElement; children: XmlElement[]; text: string }[] = [];
  let root: XmlElement | null = null;
  return {
    open: (element) => open.push({ element, children: [], text: '' }),
    text: (text) => {
      const top = open.at(-1);
      if (top) top.text += text;
    },
    close: () => {
      const top = open.pop();
      if (!top) return;
      const done: XmlElement = { ...top.element, children: top.children, text: top.text };
      const parent = open.at(-1);
      if (parent) parent.children.push(done);
      else root = done;
    },
    root: () => root,
  };
}

/** Tells the events of a tree, as if it were being read. */
export function replay(element: XmlElement, handlers: ReadHandlers): void {
  handlers.open(element);
  if (element.text !== '') handlers.text(element.text);
  for (const child of element.children) replay(child, handlers);
  handlers.close();
}
