// Moments as people read them: in the time zone of this process, and how long ago.

/** `2026-11-24 14:03:11 +01:00` in the time zone of this process. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const offset = -at.getTimezoneOffset();
  const local = new Date(at.getTime() + offset * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, '0'));
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `5 min ago`, `in 3 h`, `now`. */
export function age(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  if (Math.abs(ms) < 1_000) return 'now';
  return ms > 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
}

/** `5 min`, in whole ones of the largest unit. */
export function span(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** A day in the time zone of this process, from midnight to midnight: 23 to 25 hours where clocks are put forward and back. */
export interface LocalDay {
  /** `2026-11-24`. */
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function localDay(ms: number): LocalDay {
  const at = new Date(ms);
  const [year, month, date] = [at.getFullYear(), at.getMonth(), at.getDate()];
  const name = [String(year).padStart(4, '0'), ...[month + 1, date].map((part) => String(part).padStart(2, '0'))].join('-');
  return { name, fromMs: new Date(year, month, date).getTime(), untilMs: new Date(year, month, date + 1).getTime() };
}
