// What the commands about items share: times and limits among the options, and how an item is told in a line.
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import { durationOf } from '#operations/durations.ts';
import type { AnswerOf } from '#operations/table.ts';

/** A moment: `2026-11-20`, `2026-11-20T14:30:00Z`, or how long ago: `36h`. Throws `usage`. */
export function sinceOf(option: string, text: string, nowMs: number): string {
  if (/^\d+[a-z]+$/.test(text)) return isoTime(nowMs - durationOf(option, text, '1s', '3650d'));
  const isMoment = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isMoment ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return isoTime(ms);
  throw new AppError(
    'usage',
    `${option} must be a day such as 2026-11-20, a moment such as 2026-11-20T14:30:00Z, or a time ago such as 36h.`,
  );
}

/** Throws `usage`. */
export function limitOf(text: string, max: number): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new AppError('usage', `--limit must be a whole number from 1 to ${max}.`);
}

type Item = AnswerOf<'items'>[number];

/** The id as names of receipts have it. */
export const ITEM_COLUMNS = {
  item: ({ item }: Item) => shortId(item),
  state: ({ state, network }: Item) => ({ state: network === null ? state : `${state}, ${network}` }),
  dropped: ({ receivedAt }: Item) => ({ at: receivedAt }),
  account: ({ accountRegNo }: Item) => accountRegNo,
  document: ({ family, documentId }: Item) => (documentId === null ? '-' : `${family} ${documentId}`),
  file: ({ fileName }: Item) => fileName,
  reason: ({ reason }: Item) => reason,
};
