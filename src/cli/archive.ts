// `dropgate archive verify`: names what was changed, removed or added in the archive since its days were closed.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';
import { DIFFERS } from './exit-status.ts';

interface VerifyOptions {
  readonly account?: string;
}

const RESTORE = 'put it back from a backup, and ask who has taken it away.';

/** Why nobody can tell whether the archive is as it was; empty where that can be told. */
function unknowable({ problem, accountRegNo }: AnswerOf<'archive.verify'>['differences'][number]): string {
  if (problem === 'no-key') return `There are closed days, but keys/archive.key is not there, so none could be checked: ${RESTORE}`;
  if (problem !== 'no-chain') return '';
  const path = `keys/archive/${accountRegNo}.json`;
  return `${path}, which says how far the chain goes, is not there, so days that are missing would not be noticed: ${RESTORE}`;
}

export const addArchiveCommands: AddCommand = (commands) => {
  const archive = commands.group('archive');
  const table = archive.table<AnswerOf<'archive.verify'>['differences'][number]>('differences', {
    problem: ({ problem }) => problem,
    account: ({ accountRegNo }) => accountRegNo,
    day: ({ day }) => day,
    file: ({ file }) => file ?? 'the whole day',
  });
  archive
    .asks(
      'verify',
      'archive.verify',
      ({ account: accountRegNo }: VerifyOptions) => ({ ...(accountRegNo !== undefined && { accountRegNo }) }),
      ({ accounts, days, files, differences }, config, { account }: VerifyOptions) => {
        const what = `${counted(accounts, 'account')}, ${counted(days, 'closed day')}, ${counted(files, 'file')}`;
        if (differences.length > 0) {
          table(differences, config);
          for (const sentence of new Set(differences.map(unknowable))) if (sentence !== '') archive.terminal.print(sentence);
        } else if (account !== undefined && accounts === 0) archive.tell(config, {}, `Account ${account} has no archive.`);
        else archive.tell(config, {}, `The archive is as it was: ${what}.`);
      },
      { status: ({ differences }) => (differences.length > 0 ? DIFFERS : 0) },
    )
    .option('--account <accountRegNo>', 'only that of one account');
};
