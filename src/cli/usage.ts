// `dropgate usage`: what was exchanged in a month, by partner and account.
import { AppError } from '#domain/error.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';

export const addUsage: AddCommand = (commands) => {
  const documents = commands.table<AnswerOf<'usage'>['documents'][number]>('documents of that month', {
    partner: ({ partnerRegNo }) => partnerRegNo ?? '-',
    account: ({ accountRegNo }) => accountRegNo,
    direction: ({ direction }) => direction,
    family: ({ family }) => family,
    country: ({ country }) => country ?? '-',
    documents: ({ documents: count }) => count,
  });
  const endUsers = commands.table<AnswerOf<'usage'>['endUsers'][number]>('end users of that month', {
    partner: ({ partnerRegNo }) => partnerRegNo ?? '-',
    'end users': ({ endUsers: count }) => count,
  });
  commands
    .asks(
      'usage',
      'usage',
      ({ month }: { readonly month: string }) => ({ month: monthOf(month) }),
      (answer, config) => {
        documents(answer.documents, config);
        if (answer.endUsers.length === 0) return;
        if (commands.terminal.style) return endUsers(answer.endUsers, config);
        // A program tells these lines from the others by their second word.
        for (const { partnerRegNo, endUsers: count } of answer.endUsers)
          commands.terminal.print(`${partnerRegNo ?? '-'}\tend users\t${count}`);
      },
    )
    .requiredOption('--month <month>', 'the month, such as 2026-11 (UTC)');
};

function monthOf(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new AppError('usage', `--month must be a month, such as 2026-11, not '${text}'.`);
}
