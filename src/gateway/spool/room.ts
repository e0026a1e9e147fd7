// How much of an account may lie unfinished: uploads under way, broken ones, and those that wait for their rename.
import { AppError } from '#domain/error.ts';
import type { Seen } from './view.ts';

export interface RoomLimits {
  /** Bytes of the uploads of one account that are not finished; one under way counts as the largest file. */
  readonly unfinishedMax: number;
  readonly fileMax: number;
}

type Unfinished = Pick<Seen, 'state' | 'size' | 'mtimeMs'>;

/** However small they are. */
const FILES_MAX = 10_000;

/** Which of them must go so that one more upload fits: broken ones, oldest first, for they were promised to nobody. Throws `quota`. */
export function makeRoom<File extends Unfinished>(unfinished: Iterable<File>, { unfinishedMax, fileMax }: RoomLimits): File[] {
  const all = [...unfinished];
  let files = all.length + 1;
  let bytes = all.reduce((sum, { state, size }) => sum + (state === 'open' ? fileMax : size), fileMax);
  const isFull = (): boolean => files > FILES_MAX || bytes > unfinishedMax;
  if (!isFull()) return [];
  const going: File[] = [];
  const broken = all.filter(({ state }) => state === 'broken').sort((a, b) => a.mtimeMs - b.mtimeMs);
  for (const each of broken) {
    if (!isFull()) break;
    going.push(each);
    files--;
    bytes -= each.size;
  }
  if (!isFull()) return going;
  throw new AppError('quota', `no room for more: ${all.length} uploads are not finished; close, rename or remove some of them`);
}
