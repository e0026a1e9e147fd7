// Accounts that send in a rhythm, by days of a calendar of their own.
import type { Rhythms } from '#gateway/model/rhythm.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** A Monday. */
export const START = Date.parse('2026-01-05T00:00:00Z');

export const isWeekend = (day: number): boolean => day % 7 >= 5;
export const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `account-${at}`);

/** All of them send at nine on each working day, but for those that do not. */
export function weeks(
  rhythms: Rhythms,
  accounts: readonly string[],
  from: number,
  to: number,
  except: (account: string, day: number) => boolean = () => false,
): void {
  for (let day = from; day < to; day++) {
    for (const account of accounts) if (!isWeekend(day) && !except(account, day)) rhythms.arrived(account, START + day * DAY + 9 * HOUR);
  }
}
