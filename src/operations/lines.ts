// The lines of a document that its findings name.
import { type Static, Type } from 'typebox';
import { Count } from './forms.ts';

const LINES_MAX = 200;
const LINE_CHARACTERS_MAX = 500;

/** Counted from 1. */
export const Lines = Type.Array(Type.Object({ number: Count, text: Type.String() }));

/** In their order, each once; none where the document is not there. */
export function linesOf(document: Uint8Array | null, wanted: readonly number[]): Static<typeof Lines> {
  if (!document || wanted.length === 0) return [];
  const lines = new TextDecoder().decode(document).split(/\r\n|\n|\r/);
  const numbers = [...new Set(wanted)].sort((one, other) => one - other).slice(0, LINES_MAX);
  return numbers.flatMap((number) => {
    const text = lines[number - 1];
    return text === undefined ? [] : [{ number, text: text.slice(0, LINE_CHARACTERS_MAX) }];
  });
}

/** The numbers of those that findings name. */
export function linesNamed(findings: readonly { readonly line?: number }[]): number[] {
  return findings.flatMap(({ line }) => line ?? []);
}
