// Whether the audit trail is whole: each line's MAC, each line's place in the chain, and that it goes as far as the log has told.
import { relative } from 'node:path';
import type { Seal } from '#runtime/seal.ts';
import { DROPPED, macOf, type StoredLine, sequenceOf, storedLines, trailFiles, trailKey } from './trail.ts';

interface Verified {
  /** Lines that were read. */
  readonly lines: number;
  /** The last one; null where there is none. */
  readonly last: { readonly sequence: number; readonly mac: string } | null;
  /** The first thing that is wrong, in a sentence; null where nothing is. */
  readonly broken: string | null;
}

/** Reads the whole trail. `told`: the MAC of a line that the log tells, which must be there. */
export function verifyTrail(data: string, seal: Pick<Seal, 'derive'>, told: string | null): Verified {
  const key = trailKey(seal);
  const dropped = new Map<string, string>();
  let first: StoredLine | undefined;
  let last: Verified['last'] = null;
  let lines = 0;
  let isTold = told === null;
  for (const file of trailFiles(data)) {
    for (const line of storedLines(file)) {
      const sequence = sequenceOf(line.body);
      const wrong = wrongWith(line, sequence, last, key);
      if (wrong !== null) return { lines, last, broken: `${placeOf(data, line)} ${wrong}` };
      if (sequence === undefined) continue;
      first ??= line;
      last = { sequence, mac: line.mac };
      lines++;
      isTold ||= line.mac === told;
      noteDropped(line.body, dropped);
    }
  }
  const broken = first && headOf(data, first, dropped, key);
  if (broken) return { lines, last, broken };
  const cut = `The trail ends ${last ? `with line ${last.sequence}` : 'before its first line'}, and the line with the MAC ${told} is not there: its end was cut off.`;
  return { lines, last, broken: isTold ? null : cut };
}

/** The end of a sentence that begins with the line's place; null where the line is as it was written. */
function wrongWith(line: StoredLine, sequence: number | undefined, last: Verified['last'], key: Uint8Array): string | null {
  if (line.mac === '' || sequence === undefined) return 'is no line of the trail.';
  // The first line that is there is held against what stands further on (`headOf`).
  if (last === null) return null;
  if (sequence !== last.sequence + 1)
    return `is line ${sequence} of the trail, and line ${last.sequence + 1} should stand there: lines were taken out or put in.`;
  return macOf(key, last.mac, line.body) === line.mac
    ? null
    : `(line ${sequence} of the trail) was changed, or was written with another key file.`;
}

/** The first line begins the trail, or a later line says how the lines before it had ended when they were removed. */
function headOf(data: string, first: StoredLine, dropped: ReadonlyMap<string, string>, key: Uint8Array): string | null {
  const sequence = sequenceOf(first.body) ?? 0;
  const before = sequence === 1 ? '' : dropped.get(String(sequence - 1));
  if (before === undefined)
    return `The trail begins with line ${sequence}, and no line says that those before it were removed in their time.`;
  return macOf(key, before, first.body) === first.mac
    ? null
    : `${placeOf(data, first)} (line ${sequence} of the trail) was changed, or was written with another key file.`;
}

function noteDropped(body: string, dropped: Map<string, string>): void {
  if (!body.includes(`"what":"${DROPPED}"`)) return;
  const { what, after } = JSON.parse(body);
  if (what === DROPPED) dropped.set(String(after.through), String(after.mac));
}

function placeOf(data: string, { file, number }: StoredLine): string {
  return `Line ${number} of ${relative(data, file)}`;
}
