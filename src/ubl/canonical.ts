// The canonical form of a document: one text for all its spellings. Prefixes, the order of attributes, comments, and white space
// around values do not matter; names, values and their order do. For comparing, not for sending.
import type { ReadHandlers } from './tree.ts';

/** Handlers for a reader of either notation; the canonical text is handed to `piece` bit by bit. */
export function canonicalHandlers(piece: (text: string) => void): ReadHandlers {
  let text = '';
  const flush = (): void => {
    const value = text.trim();
    if (value !== '') piece(JSON.stringify(value));
    text = '';
  };
  return {
    open({ name, namespace, attributes }) {
      flush();
      let tag = beginningOf(namespace, name);
      if (attributes.size > 0) {
        const sorted = attributes.size > 1 ? [...attributes].sort(([a], [b]) => (a < b ? -1 : 1)) : attributes;
        for (const attribute of sorted) tag += `,${JSON.stringify(attribute)}`;
      }
      piece(`${tag}]`);
    },
    text(more) {
      text += more;
    },
    close() {
      flush();
      piece(')');
    },
  };
}

/** UBL has fewer names than this, in a handful of namespaces; whoever invents more gets texts that are not kept. */
const BEGINNINGS_MAX = 4000;
const NAMESPACES_MAX = 32;
const BEGINNINGS = new Map<string, Map<string, string>>();

/** `(["urn:…","ID"`: a list in JSON that its attributes go on. */
function beginningOf(namespace: string, name: string): string {
  let known = BEGINNINGS.get(namespace);
  const kept = known?.get(name);
  if (kept !== undefined) return kept;
  const beginning = `(${JSON.stringify([namespace, name]).slice(0, -1)}`;
  if (!known && BEGINNINGS.size < NAMESPACES_MAX) {
    known = new Map();
    BEGINNINGS.set(namespace, known);
  }
  if (known && known.size < BEGINNINGS_MAX) known.set(name, beginning);
  return beginning;
}
