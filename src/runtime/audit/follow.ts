// Tells the log of each line of the audit trail, whoever wrote it: who cuts off the end of the trail must cut the log as well.
import { statSync } from 'node:fs';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type StoredLine, sequenceOf, storedLines, trailFiles } from './trail.ts';

const LOOK_EVERY_MS = 2_000;

/** Begins with the last line that is there. Dispose to stop. */
export function followTrail({ data, clock, log }: { readonly data: string; readonly clock: Clock; readonly log: Log }): Disposable {
  let seen = '';
  let told = 0;
  function look(isStart: boolean): void {
    const newest = trailFiles(data).at(-1);
    const state = newest === undefined ? '' : `${newest} ${statSync(newest).size}`;
    if (newest === undefined || state === seen) return;
    seen = state;
    // Of a file that was begun since, the lines before it are in the one before.
    const lines = trailFiles(data)
      .slice(-2)
      .flatMap((file) => [...storedLines(file)]);
    for (const line of isStart ? lines.slice(-1) : lines.filter(({ body }) => (sequenceOf(body) ?? 0) > told)) tell(line);
    told = Math.max(told, ...lines.map(({ body }) => sequenceOf(body) ?? 0));
  }
  function tell({ body, mac }: StoredLine): void {
    const sequence = sequenceOf(body);
    if (sequence === undefined || mac === '') return;
    const { who, what } = JSON.parse(body);
    log.info({ event: 'audit.written', sequence, who, what, mac });
  }
  const failed = (error: unknown): void => log.error({ event: 'audit.unread', err: error });
  try {
    look(true);
  } catch (error) {
    failed(error);
  }
  return every(clock, LOOK_EVERY_MS, () => look(false), failed);
}
