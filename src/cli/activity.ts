// `dropgate activity`: what the daemon did in the last minutes.
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';
import { limitOf } from './operating.ts';

const MINUTES_MAX = 1_440;

export const addActivity: AddCommand = (commands) => {
  const table = commands.table<AnswerOf<'activity'>[number]>('minutes that are over since the daemon was started', {
    at: ({ at }) => ({ at }),
    dropped: ({ dropped }) => dropped,
    ended: ({ ended }) => ended,
    received: ({ received }) => received,
    'loop delay': ({ loopDelayMs }) => `${loopDelayMs} ms`,
  });
  commands
    .asks('activity', 'activity', ({ minutes }: { readonly minutes: string }) => ({ minutes: limitOf(minutes, MINUTES_MAX) }), table)
    .option('--minutes <count>', `so many of the last ones, ${MINUTES_MAX} at the most`, '60');
};
