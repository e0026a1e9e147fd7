// Durations as people write them: in options of commands, and in declarations.
import { AppError } from '#domain/error.ts';
import { duration } from '#runtime/config/kinds.ts';

const HOUR_MS = 3_600_000;

/** In milliseconds; `name` begins the sentence. Throws `usage`. */
export function durationOf(name: string, text: string, min: string, max: string): number {
  const reading = duration(min, max).read(text);
  if ('problem' in reading) throw new AppError('usage', `${name} ${reading.problem}.`);
  return reading.value;
}

/** As `durationOf` reads it. */
export function timeText(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours % 24 === 0) return `${hours / 24}d`;
  if (Number.isInteger(hours)) return `${hours}h`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
