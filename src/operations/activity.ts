// The operation that tells what the daemon did lately, minute by minute, which only a running one knows.
import { Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { Count, Moment } from './forms.ts';
import { operation } from './operation.ts';

const MINUTES_MAX = 1_440;

const Minute = Type.Object({
  /** When it was over. */
  at: Moment,
  dropped: Count,
  ended: Count,
  received: Count,
  /** How late the event loop was at most. */
  loopDelayMs: Count,
});

export const activity = operation(
  Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: MINUTES_MAX }) }),
  Type.Array(Minute),
  async ({ running }, { minutes }) => {
    if (!running?.activity)
      throw new AppError('missing', 'No daemon with an admin listener runs here, so nothing is known of its last minutes.');
    return running.activity.minutes(minutes).map(({ atMs, ...minute }) => ({ at: isoTime(atMs), ...minute }));
  },
);
