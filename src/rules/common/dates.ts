// Dates of documents: whether one is real, and which comes first.
import { shown } from '#rules/kinds.ts';
import { type Context, context, rule } from '#rules/rule.ts';
import { stringOf } from '#rules/select.ts';
import { wordsOf } from '#rules/words.ts';

const LEXICAL = /^(\d{4})-(\d{2})-(\d{2})(Z|[+-]\d{2}:\d{2})?$/;
const MINUTES_OF_DAY = 24 * 60;

/** Exactly `YYYY-MM-DD`, and a day that exists; a time zone is not allowed. */
export function isDate(value: string): boolean {
  return value.length === 10 && instantOf(value) !== undefined;
}

/** The minute at which a day begins, to compare days by; undefined when it is none. A time zone may be there. */
export function instantOf(value: string): number | undefined {
  const match = LEXICAL.exec(value.trim());
  if (!match) return undefined;
  const [, year, month, day, zone] = match;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(time);
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(year) > 0;
  return real ? time / 60_000 - offsetOf(zone) : undefined;
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) % MINUTES_OF_DAY;
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
