// How much of a home may lie unfinished: uploads under way, broken ones, and those that wait for their rename. Counted as it changes, so that
// an upload that begins looks at no other.
import { AppError } from '#domain/error.ts';
import type { EntryState } from '#gateway/model/intake.ts';

export interface RoomLimits {
  /** Bytes of the uploads of one account that are not finished; one under way counts as the largest file. */
  readonly unfinishedMax: number;
  readonly fileMax: number;
}

interface Unfinished {
  readonly state: EntryState;
  readonly size: number;
}

/** However small they are. */
const FILES_MAX = 10_000;

export interface Room<File> extends Iterable<File> {
  /** Counts it as it is now: what changes is removed before, and added again; what breaks later comes later. */
  add(file: File): void;
  /** Whether it was there. */
  remove(file: File): boolean;
  /** Which of them must go so that one more upload fits: broken ones, oldest first, for no client was told OK for them. Throws `quota`. */
  make(limits: RoomLimits): File[];
}

export function openRoom<File extends Unfinished>(): Room<File> {
  const all = new Set<File>();
  /** Oldest first. */
  const broken = new Set<File>();
  let open = 0;
  /** Of those that are not under way; and of the broken ones among them. */
  let bytes = 0;
  let brokenBytes = 0;

  function count(file: File, sign: 1 | -1): void {
    const isBroken = file.state === 'broken';
    if (file.state === 'open') open += sign;
    else bytes += sign * file.size;
    if (isBroken) brokenBytes += sign * file.size;
    if (isBroken && sign > 0) broken.add(file);
    else broken.delete(file);
  }

  return {
    add(file) {
      if (all.has(file)) return;
      all.add(file);
      count(file, 1);
    },
    remove(file) {
      const isThere = all.delete(file);
      if (isThere) count(file, -1);
      return isThere;
    },
    make({ unfinishedMax, fileMax }) {
      const isFull = (goneFiles: number, goneBytes: number): boolean =>
        all.size + 1 - goneFiles > FILES_MAX || bytes + (open + 1) * fileMax - goneBytes > unfinishedMax;
      if (isFull(broken.size, brokenBytes)) {
        throw new AppError('quota', `no room for more: ${all.size} uploads are not finished; close, rename or remove some of them`);
      }
      const going: File[] = [];
      let goingBytes = 0;
      for (const each of broken) {
        if (!isFull(going.length, goingBytes)) break;
        going.push(each);
        goingBytes += each.size;
      }
      return going;
    },
    [Symbol.iterator]: () => all.values(),
  };
}
