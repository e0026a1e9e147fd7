// How an account usually sends, in words.
import type { UsualRhythm } from '#gateway/model/rhythm.ts';

/** `Monday, Tuesday, Friday, by 12:00 UTC`. */
export function toldRhythm({ days, byHour }: UsualRhythm): string {
  return `${days.join(', ')}, by ${String(byHour).padStart(2, '0')}:00 UTC`;
}
