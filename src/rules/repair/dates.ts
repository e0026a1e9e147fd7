// Dates that say which day they mean, and are written in another form than documents have them in.
import { isDate } from '#rules/common/dates.ts';

type Order = 'ymd' | 'dmy' | 'mdy';

/** Forms with the orders in which they may be read. Points stand in no country behind a month that comes first. */
const FORMS: readonly (readonly [pattern: RegExp, orders: readonly Order[]])[] = [
  [/^(\d{4})(\d\d)(\d\d)$/, ['ymd']],
  [/^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/, ['ymd']],
  // The beginning of a day, or a day of some time zone.
  [/^(\d{4})-(\d\d)-(\d\d)(?:[T ]00:00(?::00(?:\.0{1,9})?)?)?(?:Z|[+-]\d\d:\d\d)?$/, ['ymd']],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, ['dmy']],
  [/^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/, ['dmy', 'mdy']],
];

/** `YYYY-MM-DD`; undefined for what is that already, is no date, or may mean two days. */
export function dateMeantBy(stated: string): string | undefined {
  if (isDate(stated)) return undefined;
  const text = stated.trim();
  const days = FORMS.flatMap(([pattern, orders]) => {
    const numbers = pattern
      .exec(text)
      ?.slice(1)
      .filter((part) => /^\d/.test(part ?? ''));
    return numbers ? orders.map((order) => dayIn(numbers, order)) : [];
  });
  const [day, ...others] = new Set(days.filter(isDate));
  return others.length === 0 ? day : undefined;
}

function dayIn(numbers: readonly string[], order: Order): string {
  const [year, month, day] = [...'ymd'].map((part) => numbers[order.indexOf(part)] ?? '');
  return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
}
