// The canonical form of a document: one text for all its spellings. Prefixes, the order of attributes, comments, and white space
// around values do not matter; names, values and their order do. For comparing, not for sending.
import { createJsonReader } from './json.ts';
import { createReader, type Reader } from './read.ts';
import { sniff } from './sniff.ts';
import type { ReadHandlers } from './tree.ts';

/** Reads a document, XML or JSON, and hands its canonical text to `piece` bit by bit. Throws `unreadable` as the readers do. */
export function createCanonicaliser(piece: (text: string) => void): Reader {
  const handlers = createHandlers(piece);
  let reader: Reader | null = null;
  return {
    write(bytes) {
      reader ??= sniff(bytes, true) === 'json' ? createJsonReader(handlers) : createReader(handlers);
      reader.write(bytes);
    },
    end: () => reader?.end(),
  };
}

function createHandlers(piece: (text: string) => void): ReadHandlers {
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
