// `dropgate status`: what needs a person, what waits, what became of the documents of today.
import { isoTime } from '#domain/day.ts';
import type { AnswerOf } from '#operations/table.ts';
import { systemClock } from '#runtime/clock.ts';
import { localDay } from '#runtime/local-time.ts';
import type { Cell } from './cells.ts';
import type { AddCommand } from './commands.ts';

interface Row {
  readonly topic: Cell;
  readonly account: string;
  readonly count: number;
  readonly since: string | null;
  readonly what: string;
}

export const addStatus: AddCommand = (commands) => {
  const table = commands.table<Row>('documents that wait or ended today, and nothing that needs a person', {
    topic: ({ topic }) => topic,
    account: ({ account }) => account,
    count: ({ count }) => count,
    since: ({ since }) => ({ at: since }),
    what: ({ what }) => what,
  });
  commands.asks(
    'status',
    'status',
    () => ({ today: isoTime(localDay(systemClock.now()).fromMs) }),
    (answer, config) => {
      if (!answer.isRunning) commands.terminal.complain('No daemon runs here: nothing goes on until it does.');
      table(rowsOf(answer), config);
    },
  );
};

function rowsOf({ matters, waiting, silent, today }: AnswerOf<'status'>): Row[] {
  const counts = today
    ? Object.entries(today).flatMap(([name, count]) => (typeof count === 'number' && count > 0 ? [{ name, count }] : []))
    : [];
  return [
    ...matters.map(({ what, accountRegNo, count, since, sentence }) => ({
      topic: { state: what === 'held' || what === 'refused' ? what : 'failed' },
      account: accountRegNo ?? '-',
      count,
      since,
      what: what === 'held' || what === 'refused' ? sentence : `${what}: ${sentence}`,
    })),
    ...silent.map(({ accountRegNo, family, count, since }) => ({
      topic: { state: 'waiting' },
      account: accountRegNo,
      count,
      since,
      what: `${family}: the service has not answered since`,
    })),
    ...waiting.map(({ accountRegNo, count, since, reason }) => ({
      topic: { state: 'pending' },
      account: accountRegNo,
      count,
      since,
      what: reason ?? 'on their way',
    })),
    ...counts.map(({ name, count }) => ({ topic: 'today', account: '-', count, since: today?.since ?? null, what: name })),
  ];
}
