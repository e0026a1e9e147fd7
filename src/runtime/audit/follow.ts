// Tells the log of each line of the audit trail, whoever wrote it: who cuts off the end of the trail must cut the log as well. A cut under a running daemon
// it tells of itself.
import { statSync } from 'node:fs';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type StoredLine, sequenceOf, storedLines, trailFiles } from './trail.ts';

const LOOK_EVERY_MS = 5_000;

/** A line that stood in the trail. */
interface SeenLine {
  readonly sequence: number;
  readonly mac: string;
}

export interface Followed extends Disposable {
  /** The last line of the longest trail that was seen: it must be there. Null where none was. */
  last(): SeenLine | null;
}

/** Begins with the last line that is there, and says so when lines that were there are not any more. Dispose to stop. */
export function followTrail({ data, clock, log }: { readonly data: string; readonly clock: Clock; readonly log: Log }): Followed {
  let seen = '';
  /** The last line that was told. */
  let told: SeenLine = { sequence: 0, mac: '' };
  let longest: SeenLine | null = null;
  function look(isStart: boolean): void {
    const newest = trailFiles(data).at(-1);
    const state = newest === undefined ? '' : `${newest} ${statSync(newest).size}`;
    if (state === seen) return;
    // Of a file that was begun since, the lines before it are in the one before.
    const lines = trailFiles(data)
      .slice(-2)
      .flatMap((file) => [...storedLines(file)].flatMap(wholeLine));
    seen = state;
    const last = lines.at(-1) ?? { sequence: 0, mac: '' };
    const isCut = last.sequence < told.sequence || lines.some(({ sequence, mac }) => sequence === told.sequence && mac !== told.mac);
    if (isCut) log.error({ event: 'audit.cut', ...told, endsWith: last.sequence });
    for (const line of isStart || isCut ? lines.slice(-1) : lines.filter(({ sequence }) => sequence > told.sequence)) tell(line);
    told = { sequence: last.sequence, mac: last.mac };
    if (longest === null || (!isCut && told.sequence > longest.sequence)) longest = told.sequence === 0 ? null : told;
  }
  function tell({ sequence, mac, body }: WholeLine): void {
    const { who, what } = JSON.parse(body);
    log.info({ event: 'audit.written', sequence, who, what, mac });
  }
  const failed = (error: unknown): void => log.error({ event: 'audit.unread', err: error });
  try {
    look(true);
  } catch (error) {
    failed(error);
  }
  const timer = every(clock, LOOK_EVERY_MS, () => look(false), failed);
  return { last: () => longest, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

interface WholeLine extends SeenLine {
  readonly body: string;
}

/** None for one that is just being written, or is none of ours. */
function wholeLine({ body, mac }: StoredLine): WholeLine[] {
  const sequence = sequenceOf(body);
  return sequence === undefined || mac === '' ? [] : [{ sequence, mac, body }];
}
