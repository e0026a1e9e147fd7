// For how long things of accounts are kept, by their rows: an account that is disabled, or that its partner had to leave, has its own periods as before.
import { archivedAccounts } from '#gateway/archive/places.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { type Keeping, type KeepSettings, keepingOf } from '#gateway/model/keeping.ts';

export interface Periods {
  /** Of an account, or of a home, by the account of that number. */
  of(accountRegNo: string): Keeping;
  /** No account has a shorter one. */
  shortest(what: keyof Keeping): number;
}

export async function readPeriods(rows: Rows, settings: KeepSettings): Promise<Periods> {
  const usual = keepingOf({}, settings);
  const own = new Map((await readAccounts(rows)).map(({ accountRegNo, keep }) => [accountRegNo, keepingOf(keep, settings)]));
  return {
    of: (accountRegNo) => own.get(accountRegNo) ?? usual,
    shortest: (what) => Math.min(usual[what], ...[...own.values()].map((keeping) => keeping[what])),
  };
}

interface ArchivedAccount {
  readonly accountRegNo: string;
  /** By which it is in hand; null of one that was removed. */
  readonly home: string | null;
  /** For how long copies are kept, in milliseconds; 0: nothing is removed. */
  readonly archive: number;
}

interface ArchivedParts {
  readonly data: string;
  readonly settings: { readonly archive: number | null };
  /** Whether this node does what one is to do for all; there are no others where it is left out. */
  readonly isFirst?: (() => Promise<boolean>) | undefined;
}

/**
 * All accounts that have an archive, served or not. Of one that was removed nobody knows the period any more: its days are closed, by one of the nodes, and
 * stay until it is erased with its archive.
 */
export async function readArchived(rows: Rows, { data, settings, isFirst }: ArchivedParts): Promise<ArchivedAccount[]> {
  const known = new Map((await readAccounts(rows)).map((account) => [account.accountRegNo, account]));
  const isForAll = isFirst ? await isFirst() : true;
  return (await archivedAccounts(data)).flatMap((accountRegNo): ArchivedAccount[] => {
    const account = known.get(accountRegNo);
    if (account) return [{ accountRegNo, home: account.home, archive: account.receiving.archive ?? settings.archive ?? 0 }];
    return isForAll ? [{ accountRegNo, home: null, archive: 0 }] : [];
  });
}
