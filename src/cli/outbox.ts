// `dropgate outbox`, `redeliver` and `mark-unread`: what waits to be picked up, what could not be published, publishing a document once more,
// and having it handed out again to others.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Cell } from './cells.ts';
import type { AddCommand } from './commands.ts';

type Row = AnswerOf<'outbox'>[number];

/** A row is what waits in a home, or one document that could not be put there. */
const COLUMNS: Readonly<Record<string, (row: Row) => Cell>> = {
  home: (row) => ('home' in row ? row.home : row.accountRegNo),
  documents: (row) =>
    'home' in row ? { people: row.documents, programs: counted(row.documents, 'document') } : `${row.family} ${row.integrationId}`,
  since: (row) => {
    if ('home' in row) return { people: { at: row.since }, programs: ['the oldest since', { at: row.since }] };
    const at = { at: row.stuckSince };
    return { people: at, programs: ['stuck since', at, `, tried ${counted(row.tries, 'time')}`] };
  },
  reason: (row) => ('home' in row ? null : { people: `stuck, tried ${counted(row.tries, 'time')}: ${row.reason}`, programs: row.reason }),
};

export const addOutbox: AddCommand = (commands) => {
  const input = ({ account: accountRegNo }: { readonly account?: string }) => ({ ...(accountRegNo !== undefined && { accountRegNo }) });
  const table = commands.table<Row>('documents to fetch', COLUMNS);
  commands.asks('outbox', 'outbox', input, table).option('--account <accountRegNo>', 'only those of one account');
};

const input = (integrationId: string) => ({ integrationId });
const whenDone = (isRunning: boolean): string => (isRunning ? 'in a moment; the log tells when it is done' : 'as soon as the daemon runs');

export const addRedeliver: AddCommand = (commands) => {
  commands.asks(
    'redeliver <integrationId>',
    'redeliver',
    input,
    commands.outcome(
      ({ accountRegNo, family, integrationId, isRunning }) =>
        `${family} ${integrationId} will be put into the outbox of ${accountRegNo} once more, ${whenDone(isRunning)}.`,
    ),
  );
};

export const addMarkUnread: AddCommand = (commands) => {
  commands.asks(
    'mark-unread <integrationId>',
    'mark-unread',
    input,
    commands.outcome(({ family, integrationId, isRunning }) => `${family} ${integrationId} will be marked unread, ${whenDone(isRunning)}.`),
  );
};
