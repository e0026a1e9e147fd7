// Days and moments as people write them, in UTC: `2027-03-31`, `2027-03-31T14:30:00.000Z`.

const DAY_MS = 86_400_000;

/** When the day has ended, in milliseconds since 1970; undefined when the text names no day. */
export function endOfDay(text: string): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 2027-02-31 would count as a day of March.
  return !Number.isNaN(at) && dayOf(at) === text ? at + DAY_MS : undefined;
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** A moment as people and programs read it; null stays null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

type Moments = Readonly<Record<string, number | null>>;

/** The same of several, by their names. */
export function isoTimes<Given extends Moments>(
  moments: Given,
): { [Name in keyof Given]: Given[Name] extends number ? string : string | null };
export function isoTimes(moments: Moments): Record<string, string | null> {
  return Object.fromEntries(Object.entries(moments).map(([name, ms]) => [name, isoTime(ms)]));
}
