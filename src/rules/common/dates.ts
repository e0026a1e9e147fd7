// Dates of documents: whether one is real, and which comes first.
import { shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { stringOf } from '#rules/engine/select.ts';
import { wordsOf } from '#rules/engine/words.ts';

/** xs:date as the official rules cast to it (XML Schema 1.1): years before Christ, the year 0 and years of more than four digits, too. */
const LEXICAL = /^(-?(?:\d{4}|[1-9]\d{4,}))-(0[1-9]|1[0-2])-(\d{2})(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;
const MINUTES_OF_DAY = 24 * 60;
/** The days before the first of each month, from March on: the day that leap years add is the last one then. */
const DAYS_BEFORE = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/** Exactly `YYYY-MM-DD`, and a day that exists; a time zone is not allowed. */
export function isDate(value: string): boolean {
  return value.length === 10 && instantOf(value) !== undefined;
}

/** The minute at which a day begins, to compare days by; undefined when it is none. A time zone may be there. */
export function instantOf(value: string): number | undefined {
  const match = LEXICAL.exec(value.trim());
  if (!match) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const first = daysUntil(year, month);
  const next = month === 12 ? daysUntil(year + 1, 1) : daysUntil(year, month + 1);
  return day >= 1 && day <= next - first ? (first + day) * MINUTES_OF_DAY - offsetOf(match[4]) : undefined;
}

/** The days until a month begins; Date cannot tell, because it takes the years from 0 to 99 for those of the last century. */
function daysUntil(year: number, month: number): number {
  const counted = month < 3 ? year - 1 : year;
  const leaps = Math.floor(counted / 4) - Math.floor(counted / 100) + Math.floor(counted / 400);
  return 365 * counted + leaps + (DAYS_BEFORE[month - 1] ?? 0);
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

const DATES = 'cbc:IssueDate | cbc:DueDate | cbc:TaxPointDate | cbc:StartDate | cbc:EndDate | cbc:ActualDeliveryDate';

/** Every date is a real one. */
export function realDates(id: string): Context {
  const sentence = rule(
    id,
    (node) => isDate(stringOf(node)),
    (node) =>
      `The ${wordsOf(node.tag)} '${shown(stringOf(node))}' is no date: write it as YYYY-MM-DD, without a time zone, and a day that exists.`,
  );
  return context(DATES, [sentence]);
}
