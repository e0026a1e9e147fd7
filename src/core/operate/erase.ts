// An account leaves the core with everything that is its own; digests stay, by which its numbers are taken.

import { countMessages, countOwed, eraseAccount, eraseMessages } from '#core/ledger/account-data.ts';
import { findAccount } from '#core/ledger/accounts.ts';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import type { CoreAdministration } from './administration.ts';

/** How many messages would go; null where there is no such account. Throws `forbidden` for one that is enabled, and `quota` while a message is owed. */
export async function foreseeErasure(
  { ledger: { read } }: Pick<CoreAdministration, 'ledger'>,
  accountRegNo: string,
): Promise<number | null> {
  const account = await findAccount(read, accountRegNo);
  if (!account) return null;
  if (account.enabled) throw mustBeDisabled(accountRegNo);
  const owed = await countOwed(read, accountRegNo);
  if (owed > 0)
    throw new AppError(
      'quota',
      `Account ${accountRegNo} still has ${owed} documents that wait for the network: erase it when they have ended.`,
    );
  return countMessages(read, accountRegNo);
}

function mustBeDisabled(accountRegNo: string): AppError {
  return new AppError('forbidden', `Account ${accountRegNo} is served: disable it first ('dropgate account disable ${accountRegNo}').`);
}

/** A few rows in each commit; begun again it goes on. The ledger is not wiped. */
export async function eraseFromCore(
  { ledger }: Pick<CoreAdministration, 'ledger'>,
  accountRegNo: string,
  progress: (text: string) => void,
): Promise<void> {
  const scope = `account ${accountRegNo}` as const;
  let count = 0;
  for (let erased = -1; erased !== 0; ) {
    erased = await ledger.write([scope], (rows) => eraseMessages(rows, accountRegNo));
    count += erased;
    progress(`${counted(count, 'message')} erased`);
  }
  await ledger.write(['administration', scope], (rows) => eraseAccount(rows, accountRegNo));
}
