// Envelopes as XML: plain data becomes elements of the same names, a list repeats its element.
import { XMLBuilder } from 'fast-xml-parser';

const builder = new XMLBuilder({ suppressEmptyNode: true });

/** `<root>…</root>` in UTF-8, with a declaration. */
export function plainXml(root: string, value: unknown): Uint8Array {
  const text = builder.build({ [root]: withoutControls(value) });
  return new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 §2.2 does not have them
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A message may quote characters that XML cannot carry. */
function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replace(NOT_XML, '\ufffd');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutControls(entry)]));
}
