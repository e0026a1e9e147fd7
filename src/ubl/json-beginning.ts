// What the beginning of a JSON text tells that cannot be parsed as a whole: which document it is, and its number.
import { familyOfRoot } from '#domain/family.ts';
import { CBC, documentNamespace, type ReadHandlers } from './tree.ts';

/** Numbers stand near the beginning. */
const BEGINNING_BYTES = 64 * 1024;

/** A string, a mark, or another value. Where none stands, the text is not looked at any further. */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|([{}[\],:])|([^\s{}[\],:"]+))/gy;

/** Tells the root element and its number, as far as they stand there; the root stays open. */
export function tellBeginning(bytes: Uint8Array, handlers: ReadHandlers): void {
  const text = new TextDecoder().decode(bytes.subarray(0, BEGINNING_BYTES));
  let isTold = false;
  for (const [path, value] of valuesOf(text)) {
    const [name = '', second, third, ...rest] = path;
    if (familyOfRoot(name) === undefined) continue;
    if (!isTold) handlers.open({ name, namespace: documentNamespace(name), attributes: new Map(), line: 0, column: 0, listed: null });
    isTold = true;
    if (second !== 'ID' || (third ?? '_') !== '_' || rest.length > 0 || value === null) continue;
    handlers.open({ name: 'ID', namespace: CBC, attributes: new Map(), line: 0, column: 0, listed: null });
    handlers.text(value);
    handlers.close();
    return;
  }
}

/** Each value by the keys that lead to it, lists aside; null where an object begins. */
function* valuesOf(text: string): Generator<readonly [path: readonly string[], value: string | null]> {
  /** The last key of each object that is open; null of a list. */
  const open: (string | null)[] = [];
  let isKey = false;
  for (const [, quoted, mark, bare] of text.matchAll(TOKEN)) {
    const path = open.filter((key) => key !== null);
    if (mark === '{' || mark === '[') {
      if (mark === '{' && path.length > 0) yield [path, null];
      open.push(mark === '{' ? '' : null);
      isKey = mark === '{';
    } else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ',') isKey = open.at(-1) !== null;
    else if (mark === ':') isKey = false;
    else if (isKey) open[open.length - 1] = unescaped(quoted ?? bare ?? '');
    else if (path.length > 0) yield [path, unescaped(quoted ?? bare ?? '')];
  }
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
