// Which crash points of a recorded scenario are tried: all of them, or so many as a seed draws, spread over the whole run.
import type { Call } from '../support/faults/journal.ts';
import type { randomOf } from '../support/random.ts';
import type { Played } from './recording.ts';

/** In the order in which they come. Between the writes of one commit nothing differs for who starts afterwards, so each of these groups counts once. */
export function pointsOf(
  calls: readonly Call[],
  { points }: Pick<Played, 'points'>,
  max: number,
  random: ReturnType<typeof randomOf>,
): number[] {
  if (max >= points.length) return [...points];
  const groups: number[][] = [];
  for (const at of points) {
    const before = calls[groups.at(-1)?.at(-1) ?? -1];
    if (before?.kind === 'write' && calls[at]?.kind === 'write' && before.file === calls[at].file) groups.at(-1)?.push(at);
    else groups.push([at]);
  }
  return spreadOf(groups, max, random).map((group) => group[random(0, group.length - 1)] ?? 0);
}

/** So many of them, in their order: one of each stretch, so that the start, the middle and the end have their share. */
export function spreadOf<Each>(all: readonly Each[], max: number, random: ReturnType<typeof randomOf>): Each[] {
  if (max >= all.length) return [...all];
  const from = (part: number): number => Math.floor((part * all.length) / max);
  const drawn = new Set(Array.from({ length: max }, (_, part) => random(from(part), from(part + 1) - 1)));
  return all.filter((_, at) => drawn.has(at));
}
