// `dropgate usage`: what was exchanged in a month, by partner and account.
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
  commands
    .asks(
      'usage',
      'usage',
      ({ month }: { readonly month: string }) => ({ month }),
      (answer, config) => {
        documents(answer.documents, config);
        for (const { partnerRegNo, endUsers } of answer.endUsers) {
          commands.terminal.print(`${partnerRegNo ?? '-'}\tend users\t${endUsers}`);
        }
      },
    )
    .requiredOption('--month <month>', 'the month, such as 2026-11 (UTC)');
};
