// `dropgate archive`: whose documents it holds, and what was changed, removed or added in it since its days were closed.
import type { AnswerOf } from '#operations/table.ts';
import { toldUnknowable, toldWhole } from '#operations/verified-words.ts';
import type { AddCommand } from './commands.ts';
import { DIFFERS } from './exit-status.ts';

interface VerifyOptions {
  readonly account?: string;
}

export const addArchiveCommands: AddCommand = (commands) => {
  const archive = commands.group('archive');
  const table = archive.table<AnswerOf<'archive.verify'>['differences'][number]>('differences', {
    problem: ({ problem }) => problem,
    account: ({ accountRegNo }) => accountRegNo,
    day: ({ day }) => day,
    file: ({ file }) => file ?? 'the whole day',
  });
  archive.asks(
    'list',
    'archive.list',
    () => ({}),
    archive.table<AnswerOf<'archive.list'>[number]>('archives', {
      account: ({ accountRegNo }) => accountRegNo,
      days: ({ days }) => days,
      from: ({ first }) => first,
      to: ({ last }) => last,
      closed: ({ closed }) => closed,
    }),
  );
  archive
    .asks(
      'verify',
      'archive.verify',
      ({ account: accountRegNo }: VerifyOptions) => ({ ...(accountRegNo !== undefined && { accountRegNo }) }),
      (verified, config, { account }: VerifyOptions) => {
        if (verified.differences.length === 0) return archive.tell(config, {}, toldWhole(verified, account));
        table(verified.differences, config);
        for (const sentence of toldUnknowable(verified)) archive.terminal.print(sentence);
      },
      { status: ({ differences }) => (differences.length > 0 ? DIFFERS : 0) },
    )
    .option('--account <accountRegNo>', 'only that of one account');
};
