// What is said of an archive and of an audit trail that were verified, in words.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from './table.ts';

const RESTORE = 'put it back from a backup, and ask who has taken it away.';

type Verified = AnswerOf<'archive.verify'>;

/** Where nothing differs; `asked`: of that account alone. */
export function toldWhole({ accounts, days, files }: Verified, asked?: string): string {
  if (asked !== undefined && accounts === 0) return `Account ${asked} has no archive.`;
  return `The archive is as it was: ${counted(accounts, 'account')}, ${counted(days, 'closed day')}, ${counted(files, 'file')}.`;
}

/** Why nobody can tell of some whether they are as they were; each reason once. */
export function toldUnknowable({ differences }: Verified): string[] {
  return [...new Set(differences.flatMap(unknowable))];
}

function unknowable({ problem, accountRegNo }: Verified['differences'][number]): string[] {
  if (problem === 'no-key') return [`There are closed days, but keys/archive.key is not there, so none could be checked: ${RESTORE}`];
  if (problem !== 'no-chain') return [];
  const path = `keys/archive/${accountRegNo}.json`;
  return [`${path}, which says how far the chain goes, is not there, so days that are missing would not be noticed: ${RESTORE}`];
}

/** Whether the audit trail is whole, or what is wrong first. */
export function toldTrail({ lines, last, broken }: AnswerOf<'audit.verify'>): string {
  const end = last ? `, the last one is line ${last.sequence}, with the MAC ${last.mac}` : '';
  return broken ?? `The audit trail is whole: ${counted(lines, 'line')}${end}.`;
}
