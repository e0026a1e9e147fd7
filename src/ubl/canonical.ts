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
      const sorted = [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
      piece(`(${JSON.stringify([namespace, name, ...sorted])}`);
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
